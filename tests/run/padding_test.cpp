// Combines with the identity only: counted separately, shown in report and file, and not useful.
#include "app/catalogue/strategy.hpp"
#include "app/run/run.hpp"
#include "app/trace/explain/report.hpp"
#include "tests/run/cpu_run.hpp"
#include "tests/support/sanitizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace warptree {
namespace {

using testing::HasSubstr;

RunOptions whole(std::string_view id, std::uint64_t n, std::uint32_t block) {
    RunOptions o = cpu(std::string(id), n);
    o.block = block;
    o.window = {0, 1U << 20};
    return o;
}

// 64 elements and 192 identities in a tree of 256: all 192 combines of steps s = 128 and s = 64 have an identity.
TEST(Padding, IsToldFromUsefulCombines) {
    const Trace t = runs::run_any(whole("sequential", 64, 256));
    EXPECT_EQ(t.tree.combines, 255U);
    EXPECT_EQ(t.tree.useful_combines, 63U);
    EXPECT_EQ(t.tree.padding_combines, 192U);
    const Launch& l = t.launches.front();
    ASSERT_EQ(l.steps[1].label, "s = 128");
    EXPECT_EQ(l.steps[1].counters.padding_combines, 128U);
    EXPECT_EQ(l.steps[1].counters.useful_combines, 0U);
    EXPECT_EQ(l.steps[2].counters.padding_combines, 64U);
    EXPECT_EQ(l.steps[3].counters.padding_combines, 0U);
    EXPECT_EQ(l.steps[3].counters.useful_combines, 32U);
    EXPECT_EQ(std::count_if(l.nodes.begin(), l.nodes.end(), [](const Node& n) { return n.padding; }), 192);
    EXPECT_TRUE(std::none_of(l.nodes.begin(), l.nodes.end(),
                             [](const Node& n) { return n.kind == NodeKind::combine && n.padding && n.useful; }));
}

TEST(Padding, IsInReportAndTable) {
    const Trace t = runs::run_any(whole("sequential", 64, 256));
    const auto r = nlohmann::json::parse(report_json(t));
    EXPECT_EQ(r["tree"]["padding_combines"], 192);
    EXPECT_EQ(r["launches"][0]["steps"][1]["padding_combines"], 128);
    EXPECT_EQ(r["launches"][0]["totals"]["padding_combines"], 192);
    EXPECT_THAT(report_text(t), HasSubstr("255 combines (63 useful, 192 padding: one operand is only the identity)"));
    EXPECT_THAT(steps_text(t, TableFormat::csv), HasSubstr("padding_combines"));
    EXPECT_THAT(report_text(runs::run_any(whole("sequential", 256, 256))), HasSubstr("255 combines (255 useful)"));
}

// The identity may be either operand, in a later launch, on the host, or the initial value of an atomic total.
TEST(Padding, NoMoreThanOneCombineLessThanElementsIsUseful) {
    for (const StrategyInfo& s : strategies()) {
        if (s.answer != Answer::total || s.racy || s.deadlocks ||
            s.id == "exact-sum") { // it adds parts of elements, too
            continue;
        }
        for (const std::uint64_t n : tests::sampled<std::uint64_t>({1, 31, 100, 1000}, {100})) {
            for (const Finish finish : s.finishes) {
                for (const std::uint32_t blocks : {0U, 1U << 20}) { // only counted, and traced in full
                    RunOptions o = cpu(std::string(s.id), n);
                    o.finish = finish;
                    o.window = {0, blocks};
                    if (refusal(o)) {
                        continue;
                    }
                    const TreeTotals tree = runs::run_any(o).tree;
                    EXPECT_EQ(tree.useful_combines + 1, n) << s.id << " " << n << " " << name(finish) << " " << blocks;
                    EXPECT_LE(tree.useful_combines + tree.padding_combines, tree.combines) << s.id << " " << n;
                }
            }
        }
    }
}

// The last 12 of the 32 partials that a block passes on contain no element.
TEST(Padding, GoesOnThroughPartialsOfNothing) {
    RunOptions o = whole("hand-off", 20, 32);
    o.finish = Finish::relaunch;
    o.host_below = 1;
    const Trace t = runs::run_any(o);
    EXPECT_EQ(t.tree.useful_combines, 19U);
    EXPECT_EQ(t.tree.padding_combines, t.tree.combines - 19);
}

// A product with a zero that pads a tile is zero again.
TEST(Padding, ProductsAreNoCombines) {
    RunOptions o = whole("tiled-matmul", 3, 256); // 3 × 3 in tiles of 16: 9 threads have a result, of 3 products each
    const Trace t = runs::run_any(o);
    const Launch& l = t.launches.front();
    EXPECT_EQ(t.tree.useful_combines, 9U * 2) << "the first of three products is added to the identity";
    EXPECT_EQ(t.tree.padding_combines, l.totals().padding_combines);
    EXPECT_GT(t.tree.padding_combines, 0U);
    EXPECT_LE(t.tree.padding_combines + 9U * 2, l.totals().combines) << "of a row and a column that nobody wants";
    const auto products =
        std::count_if(l.nodes.begin(), l.nodes.end(), [](const Node& n) { return n.kind == NodeKind::product; });
    EXPECT_GE(products, 9 * 3) << "of two elements, and of an element and a zero that fills";
}

} // namespace
} // namespace warptree
