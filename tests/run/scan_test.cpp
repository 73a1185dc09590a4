// The scans compared with the standard library's, and the interpreter's guarantees about them.
#include "app/compile/client/compiler.hpp" // has a name that the tests have, too
#include "tests/run/same_execution.hpp"
#include "tests/run/scan_run.hpp"
#include "tests/support/sanitizer.hpp"

#include <cmath>
#include <limits>
#include <tuple>

namespace warptree {
namespace {

using namespace tests;

class EveryScan : public testing::TestWithParam<std::tuple<std::string, std::uint64_t>> {
  protected:
    std::string id() const { return std::get<0>(GetParam()); }
    std::uint64_t n() const { return std::get<1>(GetParam()); }
};
const std::vector<std::uint64_t> kScanSizes = sampled<std::uint64_t>({1, 31, 32, 33, 65, 1000}, {33});
INSTANTIATE_TEST_SUITE_P(Sizes, EveryScan, testing::Combine(testing::ValuesIn(scans()), testing::ValuesIn(kScanSizes)),
                         [](const auto& info) {
                             std::string name = std::get<0>(info.param) + "_" + std::to_string(std::get<1>(info.param));
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST_P(EveryScan, AgreesWithTheStandardLibrary) {
    for (const ElementType type : kElementTypes) {
        for (const std::uint32_t exclusive : {0U, 1U}) {
            RunOptions o = scan_options(id(), n());
            o.type = type;
            o.input = InputKind::random;
            o.parameters["exclusive"] = exclusive;
            const Trace t = runs::run_any(o);
            EXPECT_TRUE(t.pass) << name(type) << ", first wrong " << t.first_wrong.value_or(0);
            visit_element(type, [&](auto zero) {
                using T = decltype(zero);
                const std::vector<T> got = output_of<T>(t), want = expected_of<T>(o);
                const Elements input = runs::make_input(o);
                if constexpr (std::is_floating_point_v<T>) {
                    double magnitude = 0; // of a tile's elements; each sum errs by at most u per combine of it
                    for (std::size_t i = 0; i < want.size(); ++i) {
                        const std::size_t within = i % tile_of(o);
                        magnitude = (within == 0 ? 0 : magnitude) + std::abs(static_cast<double>(input.as<T>()[i]));
                        ASSERT_NEAR(static_cast<double>(got[i]), static_cast<double>(want[i]),
                                    2 * static_cast<double>(within + 1) * std::numeric_limits<T>::epsilon() * magnitude)
                            << i;
                    }
                } else {
                    EXPECT_EQ(got, want) << name(type) << (exclusive != 0 ? " exclusive" : "");
                }
                EXPECT_EQ(t.result.as<T>(), got.back());
            });
        }
    }
}

TEST_P(EveryScan, TakesEveryOperator) {
    for (const Operator op : kOperators) {
        for (const std::uint32_t exclusive : {0U, 1U}) {
            RunOptions o = scan_options(id(), n());
            o.op = op;
            o.window = {0, 1};
            o.input = InputKind::random;
            o.parameters["exclusive"] = exclusive;
            EXPECT_TRUE(runs::run_any(o).pass) << name(op);
        }
    }
}

TEST_P(EveryScan, ReachesEveryElementOnceAndIsFreeOfRaces) {
    for (const std::uint32_t block : {1U, 8U, 32U, 96U, 256U}) {
        for (const WarpOrder order : {WarpOrder::reverse, WarpOrder::random}) {
            RunOptions o = scan_options(id(), n(), block);
            o.order = order;
            o.window = {0, 1};
            if (refusal(o)) {
                continue;
            }
            const Trace t = runs::run_any(o);
            EXPECT_TRUE(t.pass) << block << " " << name(order);
            EXPECT_EQ(t.tree.leaves, n()) << block;
            EXPECT_EQ(t.launches.front().totals().hazards, 0U) << block << " " << name(order);
            EXPECT_EQ(t.host_partials, 0U);
            EXPECT_EQ(t.launches.size(), 1U);
        }
    }
}

TEST_P(EveryScan, IsTheSameWithAnyWorkersOrderAndWindow) {
    RunOptions o = scan_options(id(), n(), std::max(32U, require_strategy(id()).blocks.least));
    o.input = InputKind::random;
    o.workers = 1;
    o.window = {0, 5};
    const Trace one = runs::run_any(o);
    for (const WarpOrder order : {WarpOrder::reverse, WarpOrder::random}) {
        o.workers = 3;
        o.order = order;
        if (require_strategy(id()).answer == Answer::block_scan) { // else the order decides how far a tile looks back
            expect_same_execution(runs::run_any(o), one, name(order));
        }
    }
    o.order = WarpOrder::in_order;
    o.window = {0, 0};
    const Trace bare = runs::run_any(o);
    EXPECT_EQ(bare.tree, one.tree);
    EXPECT_EQ(bare.launches.front().steps, one.launches.front().steps);
}

// The curriculum's example.
TEST(Scan, AnswersBlockByBlock) {
    RunOptions o = scan_options("scan-shared", 8, 4);
    o.input = InputKind::iota;
    EXPECT_EQ(output_of<std::int32_t>(runs::run_any(o)), (std::vector<std::int32_t>{0, 1, 3, 6, 4, 9, 15, 22}));
    o.parameters["exclusive"] = 1;
    EXPECT_EQ(output_of<std::int32_t>(runs::run_any(o)), (std::vector<std::int32_t>{0, 0, 1, 3, 0, 4, 9, 15}));
}

// 16-byte loads and stores do not change the results, with full or partial tiles.
TEST(Vectors, ScanAsElementsDo) {
    for (const ElementType type : kElementTypes) {
        const std::uint32_t most = bytes(type) == 8 ? 8 : 12;
        for (const std::uint64_t n : sampled<std::uint64_t>({1, 31, 33, 1000, 3072, 5121}, {33})) {
            for (const std::uint32_t exclusive : {0U, 1U}) {
                RunOptions o = scan_options("scan-lookback", n, 32);
                o.type = type;
                o.input = InputKind::iota;
                o.parameters = {{"exclusive", exclusive}};
                for (const std::uint32_t vectors : {4U, most}) {
                    o.parameters["vectors"] = vectors;
                    const Trace t = runs::run_any(o);
                    EXPECT_EQ(t.launches.front().grid, (n * bytes(type) + 512 * vectors - 1) / (512 * vectors));
                    visit_element(type, [&](auto zero) {
                        using T = decltype(zero);
                        EXPECT_EQ(output_of<T>(t), expected_of<T>(o)) << name(type) << " " << n << " " << vectors;
                    });
                }
                o.strategy = "scan-coarsened";
                for (std::uint32_t batch = 16 / bytes(type); batch <= 16; batch *= 2) {
                    o.parameters = {{"exclusive", exclusive}, {"vectors", 1}, {"batch", batch}};
                    const Trace t = runs::run_any(o);
                    visit_element(type, [&](auto zero) {
                        using T = decltype(zero);
                        EXPECT_EQ(output_of<T>(t), expected_of<T>(o)) << name(type) << " " << n << " " << batch;
                    });
                }
            }
        }
    }
}

} // namespace
} // namespace warptree
