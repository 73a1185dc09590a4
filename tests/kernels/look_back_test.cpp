// The scan in one pass: who looks back at whom.
#include "tests/kernels/scan_run.hpp"

#include <map>

namespace warptree {
namespace {

using namespace tests;

// Four tiles are at work at a time: each reads the aggregates of those before it in its four, then one prefix.
TEST(LookBack, ReadsWhatTheRuleSays) {
    const Trace t = run(cpu("scan-lookback", 32 * 11 + 7, 32));
    const Launch& l = t.launches.front();
    std::map<std::uint32_t, std::uint32_t> reads;
    for (const Node& node : l.nodes) {
        if (node.kind == NodeKind::partial) {
            ++reads[node.block];
            EXPECT_EQ(node.element, 32 * (node.block - reads[node.block] + 1) - 1) << "tile by tile, backwards";
        }
    }
    for (std::uint32_t tile = 0; tile < l.grid; ++tile) {
        EXPECT_EQ(reads[tile], tile == 0 ? 0 : tile < 4 ? tile : tile % 4 + 1) << tile;
    }
    EXPECT_EQ(l.totals().atomics, l.grid) << "a ticket each";
}

// An order recorded elsewhere is followed, and changes nothing but the way to the same sums.
TEST(LookBack, FollowsARecordedOrder) {
    RunOptions o = cpu("scan-lookback", 32 * 9, 32);
    o.input = InputKind::random;
    const Trace ruled = run(o);
    EXPECT_EQ(ruled.launches.front().look_backs, (std::vector<std::uint32_t>{0, 0, 1, 2, 0, 1, 2, 3, 0}));
    o.look_backs = {0, 0, 0, 1, 3, 0, 5, 0, 7};
    const Trace followed = run(o);
    EXPECT_EQ(followed.launches.front().look_backs, o.look_backs);
    EXPECT_TRUE(followed.pass);
    EXPECT_EQ(output_of<std::int32_t>(followed), output_of<std::int32_t>(ruled));
    o.look_backs = ruled.launches.front().look_backs;
    Trace again = run(o);
    again.options = ruled.options;
    EXPECT_EQ(again, ruled);
}

// 40 tiles whose prefixes are not there yet are looked at by two windows of a warp.
TEST(LookBack, LooksAtThirtyTwoTilesAtATime) {
    RunOptions o = cpu("scan-lookback", 32 * 41, 32);
    o.input = InputKind::random;
    for (std::uint32_t tile = 0; tile < 41; ++tile) {
        o.look_backs.push_back(tile == 0 ? 0 : tile - 1); // all aggregates, down to the prefix of tile 0
    }
    const Trace t = run(o);
    EXPECT_TRUE(t.pass);
    EXPECT_EQ(t.launches.front().look_backs, o.look_backs);
    EXPECT_EQ(output_of<std::int32_t>(t), expected_of<std::int32_t>(o));
    std::uint64_t windows = 0;
    for (const Step& s : t.launches.front().steps) {
        windows += s.phase == Phase::look_back ? 1 : 0;
    }
    EXPECT_EQ(windows, 2U);
}

TEST(LookBack, ScansALongArray) {
    RunOptions o = cpu("scan-lookback", 1U << 18, 256);
    o.window = {0, 2};
    o.input = InputKind::random;
    const Trace t = run(o);
    EXPECT_TRUE(t.pass);
    EXPECT_EQ(t.tree.leaves, 1U << 18);
}

} // namespace
} // namespace warptree
