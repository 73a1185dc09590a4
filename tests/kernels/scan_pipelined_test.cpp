// The pipelined scan: tiles published ahead, and what a tile reads of those before it.
#include "tests/kernels/scan_run.hpp"

namespace warptree {
namespace {

using namespace tests;

// More tiles than blocks: each block goes through its own, and keeps the prefix from one to the next.
TEST(Pipelined, ScansSeveralTilesABlock) {
    for (const ElementType type : {ElementType::i32, ElementType::f64}) {
        for (const std::uint32_t exclusive : {0U, 1U}) {
            for (const std::uint32_t vectors : {2U, 6U}) {
                const std::uint64_t tile = 32 * vectors * 16 / bytes(type);
                for (const std::uint64_t tiles : {1U, 2U, 3U, 4U, 7U, 12U}) {
                    for (const std::uint64_t n : {tile * tiles - 1, tile * tiles}) {
                        RunOptions o = cpu("scan-pipelined", n, 64);
                        o.type = type;
                        o.input = InputKind::iota;
                        o.parameters = {{"exclusive", exclusive}, {"vectors", vectors}, {"blocks", 3}};
                        const Trace t = run(o);
                        EXPECT_TRUE(t.pass);
                        EXPECT_EQ(t.launches.front().grid, std::min<std::uint64_t>(tiles, 3));
                        EXPECT_EQ(t.launches.front().totals().hazards, 0U);
                        visit_element(type, [&](auto zero) {
                            using T = decltype(zero);
                            EXPECT_EQ(output_of<T>(t), expected_of<T>(o)) << name(type) << " " << n << " " << vectors;
                        });
                    }
                }
            }
        }
    }
}

// A tile reads the aggregates of all before it and no prefix, and its vectors pass shared memory without a conflict.
TEST(Pipelined, ReadsAggregatesAlone) {
    const Trace t = run(cpu("scan-pipelined", 256 * 40, 64)); // two vectors a thread
    const Launch& l = t.launches.front();
    ASSERT_EQ(l.grid, 40U);
    std::vector<std::uint32_t> reads(l.grid);
    for (const Node& node : l.nodes) {
        if (node.kind == NodeKind::partial) {
            EXPECT_LT(node.element, 256 * node.block);
            EXPECT_EQ(node.element % 256, 255U) << "the last element of a tile";
            ++reads[node.block];
        }
    }
    for (std::uint32_t tile = 0; tile < l.grid; ++tile) {
        EXPECT_EQ(reads[tile], tile);
    }
    const Counters c = l.totals();
    EXPECT_EQ(c.shared_load_wavefronts, c.shared_load_ideal);
    EXPECT_EQ(c.shared_store_wavefronts, c.shared_store_ideal);
    std::uint64_t wide = 0;
    for (const Request& r : l.requests) {
        wide += r.kind == AccessKind::shared_store && r.bytes == 16 ? 1 : 0;
        EXPECT_TRUE(r.kind != AccessKind::shared_store || r.bytes != 16 || r.wavefronts == 4);
    }
    EXPECT_EQ(wide, 80U) << "two copies a tile";
}

TEST(Pipelined, SaysWhichVectorsThereAre) {
    RunOptions o = cpu("scan-pipelined", 1000);
    o.parameters = {{"vectors", 4}};
    EXPECT_NE(refusal(o).value_or("").find("take 2 or 6"), std::string::npos);
}

} // namespace
} // namespace warptree
