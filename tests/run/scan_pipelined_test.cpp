// The pipelined scan: tiles published ahead, and what a tile reads of those before it.
#include "tests/run/scan_run.hpp"

namespace warptree {
namespace {

using namespace tests;

TEST(Pipelined, SaysWhichVectorsThereAre) {
    RunOptions o = scan_options("scan-pipelined", 1000);
    o.parameters = {{"vectors", 4}};
    EXPECT_NE(refusal(o).value_or("").find("take 2, 5 or 6"), std::string::npos);
}

// Two blocks of many tiles: each keeps drawing tiles, and prefetches tiles that it may not copy itself.
TEST(Pipelined, ScansManyTilesABlock) {
    for (const unsigned vectors : {2U, 5U, 6U}) {
        for (const ElementType type : {ElementType::i32, ElementType::f64}) {
            RunOptions o = scan_options("scan-pipelined", 30'001);
            o.type = type;
            o.window = {0, 2};
            o.parameters = {{"vectors", vectors}, {"blocks", 2}};
            const std::uint64_t tile = 32 * vectors * 16 / bytes(type);
            ASSERT_GT(o.n / tile, 2U * 3 * 2); // more than are prefetched at first
            const Trace t = runs::run_any(o);
            EXPECT_TRUE(t.pass) << vectors;
            EXPECT_TRUE(t.launches.front().findings.empty()) << vectors;
        }
    }
}

} // namespace
} // namespace warptree
