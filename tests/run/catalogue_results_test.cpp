// Every kernel of the catalogue compared with CPU references, over sizes, element types, operators and finishes.
#include "app/catalogue/catalogue.hpp"
#include "app/run/kernel_run.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warptree {
namespace {
bool is_tried(ElementType type) { return !tests::kFewCases || type == ElementType::i32 || type == ElementType::f64; }

const catalogue::Catalogue& all() {
    static const catalogue::Catalogue one(tests::source_dir() / "kernels", {});
    return one;
}

std::vector<std::string> catalogue_ids() {
    std::vector<std::string> list;
    for (const catalogue::Entry& e : all().entries()) {
        std::string id = e.id;
        std::replace(id.begin(), id.end(), '-', '_');
        list.push_back(id);
    }
    return list;
}

RunOptions options_of(const catalogue::Entry& e) {
    RunOptions o;
    o.strategy = e.id;
    o.kernel.file = e.path.string();
    o.kernel.n_given = o.kernel.input_given = true;
    o.input = InputKind::random;
    o.window = {0, 1};
    if (!e.header.types.empty()) {
        o.type = element_type_from(e.header.types.front()).value();
    }
    return o;
}

bool takes(const std::vector<std::string>& names, std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

class CatalogueResults : public testing::TestWithParam<std::string> {
  protected:
    const catalogue::Entry& entry() const {
        std::string id = GetParam();
        std::replace(id.begin(), id.end(), '_', '-');
        return *all().find(id);
    }
    bool matrix() const { // or rows: of so many elements as the square of n
        return std::ranges::any_of(entry().header.parameters, &catalogue::ParameterText::as_n);
    }
    void expect_right(const RunOptions& o) const {
        SCOPED_TRACE(std::string(name(o.type)) + " " + std::string(name(o.op)) + " n " + std::to_string(o.n) +
                     (o.finish ? " " + std::string(name(*o.finish)) : ""));
        RunControl control;
        const Trace t = runs::run_kernel_file(o, control);
        for (const Launch& l : t.launches) {
            for (const Finding& f : l.findings) {
                EXPECT_TRUE(entry().header.racy && f.kind == FindingKind::race_shared)
                    << name(f.kind) << " " << f.array << " line " << f.line.line();
            }
        }
        EXPECT_TRUE(t.completed());
        if (!entry().header.racy ||
            GetParam() == "shuffle_orders_nothing") { // its lanes reconverge; other racy sums depend on the order
            EXPECT_TRUE(t.pass) << t.result.as_double() << " should be " << t.reference.as_double();
        }
    }
};
INSTANTIATE_TEST_SUITE_P(All, CatalogueResults, testing::ValuesIn(catalogue_ids()),
                         [](const auto& info) { return info.param; });

TEST_P(CatalogueResults, AreThoseOfTheReference) {
    if (entry().header.deadlocks) {
        RunControl control;
        RunOptions o = options_of(entry());
        o.n = 256;
        EXPECT_FALSE(runs::run_kernel_file(o, control).completed());
        return;
    }
    for (const std::uint64_t n : tests::sampled<std::uint64_t>({1, 31, 32, 33, 1000, 4097}, {33, 1000})) {
        for (const ElementType type : kElementTypes) {
            if (!is_tried(type)) {
                continue;
            }
            for (const Operator op : kOperators) {
                RunOptions o = options_of(entry());
                o.n = matrix() ? std::min<std::uint64_t>(n, 65) : n;
                o.type = type;
                o.op = op;
                const bool every = n == 1000 || (type == ElementType::i32 && op == Operator::sum); // else a sample
                if (every && supports(type, op) && takes(entry().header.types, name(type)) &&
                    takes(entry().header.operators, name(op))) {
                    expect_right(o);
                }
            }
        }
    }
}

TEST_P(CatalogueResults, AreTheSameByEveryFinish) {
    if (entry().header.deadlocks) {
        GTEST_SKIP() << "it never completes";
    }
    for (const Finish finish : entry().finishes) {
        for (const Operator op : {Operator::sum, Operator::product, Operator::max, Operator::sum_of_squares}) {
            for (const ElementType type : {ElementType::i32, ElementType::i64, ElementType::f32, ElementType::f64}) {
                if (!is_tried(type)) {
                    continue;
                }
                RunOptions o = options_of(entry());
                o.n = matrix() ? 40 : 3000;
                o.type = type;
                o.op = op;
                o.finish = finish;
                if (takes(entry().header.types, name(type)) && takes(entry().header.operators, name(op))) {
                    expect_right(o);
                }
            }
        }
    }
}

TEST_P(CatalogueResults, AreTheSameInEveryBlockSizeAndParameter) {
    if (entry().header.deadlocks) {
        GTEST_SKIP() << "it never completes";
    }
    const catalogue::BlocksText b = entry().header.blocks.value();
    for (std::uint32_t block = b.least; block <= b.most;
         block = b.power_of_two ? block * b.factor : block + 7 * b.multiple) {
        if (tests::kFewCases && block != b.least && block != 64) {
            continue;
        }
        RunOptions o = options_of(entry());
        o.block = block;
        o.n = matrix() ? 50 : tests::kFewCases ? 300 : 2500;
        const auto needs = [&] { // blocks that do not meet the needs are refused
            try {
                expect_right(o);
            } catch (const OptionError& e) {
                EXPECT_FALSE(entry().header.needs.empty()) << e.what();
            }
        };
        needs();
        for (const catalogue::ParameterText& p : entry().header.parameters) {
            for (const std::uint32_t value : {p.least, p.fallback, std::min(p.most, 8U), std::min(p.most, 12U)}) {
                if (!p.as_n && value >= p.least && (!p.power_of_two || (value & (value - 1)) == 0)) {
                    o.parameters = {{p.name, value}};
                    needs();
                }
            }
        }
    }
}

TEST(Catalogue, ListsTheFilesInTheirOrder) {
    ASSERT_EQ(all().entries().size(), 62U);
    EXPECT_EQ(all().entries().front().id, "interleaved-modulo");
    EXPECT_EQ(all().entries().back().id, "tiled-matmul");
    for (const catalogue::Entry& e : all().entries()) {
        EXPECT_EQ(e.problem, "") << e.id;
        EXPECT_FALSE(e.header.title.empty()) << e.id;
        EXPECT_FALSE(e.header.lesson.empty()) << e.id;
        EXPECT_TRUE(e.has_operator) << e.id;
        EXPECT_TRUE(e.header.launch && e.header.blocks && e.header.block) << e.id;
    }
    EXPECT_EQ(all().find("sequential")->finishes.size(), 4U);
    EXPECT_EQ(all().find("segmented")->finishes, std::vector{Finish::host});
    EXPECT_EQ(all().find("warp-atomic")->finishes, std::vector{Finish::atomic});
    EXPECT_EQ(all().find("no-such-file"), nullptr);
}

} // namespace
} // namespace warptree
