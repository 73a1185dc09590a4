// The scans against the standard library's, their closed forms, and what the interpreter promises about them.
#include "kernels/input.hpp"
#include "kernels/run.hpp"
#include "kernels/strategy.hpp"
#include "kernels/trace/recorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

namespace warptree {
namespace {

RunOptions cpu(std::string_view id, std::uint64_t n, std::uint32_t block = 64) {
    RunOptions o;
    o.strategy = id;
    o.n = n;
    o.block = block;
    o.backend = Backend::cpu;
    o.window = {0, 1U << 20};
    return o;
}

std::vector<std::string> scans() {
    std::vector<std::string> ids;
    for (const StrategyInfo& s : strategies()) {
        if (is_scan(s)) {
            ids.emplace_back(s.id);
        }
    }
    return ids;
}

// The output, from the values that leave the blocks; each element exactly once.
template <class T> std::vector<T> output_of(const Trace& t) {
    const Launch& l = t.launches.front();
    std::vector<T> values(l.outputs_total);
    std::vector<bool> there(l.outputs_total);
    for (const Output& o : l.outputs) {
        EXPECT_FALSE(there.at(o.index)) << "element " << o.index << " leaves twice";
        there[o.index] = true;
        values[o.index] = Scalar{t.options.type, l.nodes.at(o.node).bits}.as<T>();
    }
    EXPECT_EQ(std::count(there.begin(), there.end(), true), static_cast<std::ptrdiff_t>(t.options.n));
    return values;
}

std::uint64_t tile_of(const RunOptions& o) {
    const StrategyInfo& info = require_strategy(o.strategy);
    return info.answer == Answer::scan ? o.n
                                       : outputs_per_block(info, {o.n, *o.block, arguments(info, o.parameters, o.n)});
}

template <class T> std::vector<T> expected_of(const RunOptions& o) {
    const Elements input = make_input(o);
    const T* x = input.as<T>();
    const std::uint64_t tile = tile_of(o);
    std::vector<T> y(o.n);
    const auto plus = [](T a, T b) -> T {
        if constexpr (std::is_integral_v<T>) { // signed overflow would be undefined
            return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
        } else {
            return a + b;
        }
    };
    const auto asked = o.parameters.find("exclusive");
    const bool exclusive = asked != o.parameters.end() && asked->second != 0;
    for (std::uint64_t first = 0; first < o.n; first += tile) {
        const std::uint64_t end = std::min(o.n, first + tile);
        if (exclusive) {
            std::exclusive_scan(x + first, x + end, y.begin() + static_cast<std::ptrdiff_t>(first), T(0), plus);
        } else {
            std::inclusive_scan(x + first, x + end, y.begin() + static_cast<std::ptrdiff_t>(first), plus);
        }
    }
    return y;
}

class EveryScan : public testing::TestWithParam<std::tuple<std::string, std::uint64_t>> {
  protected:
    std::string id() const { return std::get<0>(GetParam()); }
    std::uint64_t n() const { return std::get<1>(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Sizes, EveryScan,
                         testing::Combine(testing::ValuesIn(scans()),
                                          testing::Values(1, 2, 31, 32, 33, 63, 64, 65, 1000, 4096, 4097)),
                         [](const auto& info) {
                             std::string name = std::get<0>(info.param) + "_" + std::to_string(std::get<1>(info.param));
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST_P(EveryScan, AgreesWithTheStandardLibrary) {
    for (const ElementType type : kElementTypes) {
        for (const std::uint32_t exclusive : {0U, 1U}) {
            RunOptions o = cpu(id(), n());
            o.type = type;
            o.input = InputKind::random;
            o.parameters["exclusive"] = exclusive;
            const Trace t = run(o);
            EXPECT_TRUE(t.pass) << name(type) << ", first wrong " << t.first_wrong.value_or(0);
            visit_element(type, [&](auto zero) {
                using T = decltype(zero);
                const std::vector<T> got = output_of<T>(t), want = expected_of<T>(o);
                const Elements input = make_input(o);
                if constexpr (std::is_floating_point_v<T>) {
                    double magnitude = 0; // of a tile's elements; both sums err by at most u a combine of it
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
            RunOptions o = cpu(id(), n());
            o.op = op;
            o.window = {0, 1};
            o.input = InputKind::random;
            o.parameters["exclusive"] = exclusive;
            EXPECT_TRUE(run(o).pass) << name(op);
        }
    }
}

TEST_P(EveryScan, ReachesEveryElementOnceAndIsFreeOfRaces) {
    for (const std::uint32_t block : {1U, 8U, 32U, 96U, 256U}) {
        for (const WarpOrder order : {WarpOrder::reverse, WarpOrder::random}) {
            RunOptions o = cpu(id(), n(), block);
            o.order = order;
            o.window = {0, 1};
            if (refusal(o)) {
                continue;
            }
            const Trace t = run(o);
            EXPECT_TRUE(t.pass) << block << " " << name(order);
            EXPECT_EQ(t.tree.leaves, n()) << block;
            EXPECT_EQ(t.launches.front().totals().hazards, 0U) << block << " " << name(order);
            EXPECT_EQ(t.host_partials, 0U);
            EXPECT_EQ(t.launches.size(), 1U);
        }
    }
}

TEST_P(EveryScan, IsTheSameWithAnyWorkersOrderAndWindow) {
    RunOptions o = cpu(id(), n(), std::max(32U, require_strategy(id()).blocks.least));
    o.input = InputKind::random;
    o.workers = 1;
    o.window = {0, 5};
    const Trace one = run(o);
    for (const WarpOrder order : {WarpOrder::reverse, WarpOrder::random}) {
        o.workers = 3;
        o.order = order;
        Trace other = run(o);
        other.options = one.options;
        EXPECT_EQ(other, one) << name(order);
    }
    o.window = {0, 0};
    const Trace bare = run(o);
    EXPECT_EQ(bare.tree, one.tree);
    EXPECT_EQ(bare.launches.front().steps, one.launches.front().steps);
}

class ScanBlocks : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Counters, ScanBlocks, testing::Values(1, 2, 4, 32, 64, 256, 1024));

std::uint64_t log2(std::uint64_t x) { return static_cast<std::uint64_t>(std::bit_width(x)) - 1; }

TEST_P(ScanBlocks, HillisSteeleClosedForms) {
    const std::uint64_t B = GetParam(), G = 3;
    for (const auto& [id, barriers] : std::map<std::string, std::uint64_t>{
             {"scan-global", 1 + 2 * log2(B)}, {"scan-shared", 1 + 2 * log2(B)}, {"scan-double-buffer", 1 + log2(B)}}) {
        const Trace t = run(cpu(id, B * G, GetParam()));
        const Counters c = t.launches.front().totals();
        EXPECT_EQ(c.combines, G * (B * log2(B) - B + 1)) << id;
        EXPECT_EQ(c.useful_combines, c.combines) << id;
        EXPECT_EQ(c.barriers, G * barriers) << id;
        EXPECT_EQ(t.tree.depth, log2(B)) << id;
    }
}

// One load a thread from the input, one of its partner's element a combine; a store first, and one a combine.
TEST_P(ScanBlocks, GlobalGoesToMemoryEveryStage) {
    const std::uint64_t B = GetParam();
    const Trace t = run(cpu("scan-global", B, GetParam()));
    for (std::uint64_t s = 1; s < B; s *= 2) {
        const Step& step = t.launches.front().steps.at(1 + log2(s));
        std::uint64_t warps = 0; // with a thread t >= s
        for (std::uint64_t first = 0; first < B; first += 32) {
            warps += std::min(B, first + 32) > s ? 1 : 0;
        }
        EXPECT_EQ(step.stride, s);
        EXPECT_EQ(step.counters.global_load_requests, warps);
        EXPECT_EQ(step.counters.global_store_requests, warps);
        EXPECT_EQ(step.counters.shared_load_requests, 0U);
    }
}

TEST_P(ScanBlocks, BlellochClosedForms) {
    const std::uint64_t B = GetParam(), G = 3;
    const Trace t = run(cpu("scan-blelloch", B * G, GetParam()));
    const Counters c = t.launches.front().totals();
    EXPECT_EQ(c.combines, G * 2 * (B - 1));
    EXPECT_EQ(c.barriers, G * (2 + 2 * log2(B)));
    EXPECT_EQ(t.launches.front().steps.size(), 2 + 2 * log2(B));
    for (const Step& s : t.launches.front().steps) {
        if (s.kind == StepKind::stage) {
            EXPECT_EQ(s.counters.combines, G * B / (2 * s.stride)) << s.label;
            EXPECT_TRUE(s.phase == Phase::up_sweep || s.phase == Phase::down_sweep);
        }
    }
}

// A: 129 combines a warp. C: W log W - W + 1, rounded up to a power of two in depth. D: all warps but the first.
TEST(ScanCounters, WarpClosedForms) {
    for (const std::uint64_t W : {1, 2, 4, 8, 32}) {
        const Trace t = run(cpu("scan-warp", 32 * W, static_cast<std::uint32_t>(32 * W)));
        const Counters c = t.launches.front().totals();
        EXPECT_EQ(c.combines, 129 * W + (W * log2(W) - W + 1) + 32 * (W - 1)) << W;
        EXPECT_EQ(c.barriers, 2U);
        EXPECT_EQ(c.shuffles, 5 * W + log2(W));
        EXPECT_EQ(t.tree.depth, 5 + (W > 2 ? log2(W) : 0) + (W > 1 ? 1 : 0)); // the last total goes nowhere
    }
}

// Of a batch: K - 1 combines a thread to scan it, and as many to add what stands before, but for the first thread.
TEST(ScanCounters, CoarsenedClosedForms) {
    constexpr std::uint64_t B = 128, W = 4;
    for (const std::uint32_t K : {1U, 2U, 4U, 8U, 16U}) {
        RunOptions o = cpu("scan-coarsened", B * K, B);
        o.parameters["batch"] = K;
        const Trace t = run(o);
        const std::uint64_t totals = 129 * W + (W * log2(W) - W + 1) + 32 * (W - 1);
        EXPECT_EQ(t.launches.front().grid, 1U);
        EXPECT_EQ(t.launches.front().totals().combines, (K - 1) * B + totals + (K - 1) * (B - 1)) << K;
        EXPECT_TRUE(t.pass);
        o.n = 3 * B * K + 5;
        o.input = InputKind::random;
        const Trace many = run(o);
        EXPECT_EQ(many.launches.front().grid, 4U);
        EXPECT_EQ(output_of<std::int32_t>(many), expected_of<std::int32_t>(o)) << K;
    }
}

// The curriculum's example.
TEST(Scan, AnswersBlockByBlock) {
    RunOptions o = cpu("scan-shared", 8, 4);
    o.input = InputKind::iota;
    EXPECT_EQ(output_of<std::int32_t>(run(o)), (std::vector<std::int32_t>{0, 1, 3, 6, 4, 9, 15, 22}));
    o.parameters["exclusive"] = 1;
    EXPECT_EQ(output_of<std::int32_t>(run(o)), (std::vector<std::int32_t>{0, 0, 1, 3, 0, 4, 9, 15}));
}

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

// 16-byte loads and stores change neither the answer nor what leaves a block, whole tiles or ragged.
TEST(Vectors, ScanAsElementsDo) {
    for (const ElementType type : kElementTypes) {
        const std::uint32_t most = bytes(type) == 8 ? 8 : 12;
        for (const std::uint64_t n : {1U, 31U, 33U, 1000U, 3072U, 5121U}) {
            for (const std::uint32_t exclusive : {0U, 1U}) {
                RunOptions o = cpu("scan-lookback", n, 32);
                o.type = type;
                o.input = InputKind::iota;
                o.parameters = {{"exclusive", exclusive}};
                for (const std::uint32_t vectors : {4U, most}) {
                    o.parameters["vectors"] = vectors;
                    const Trace t = run(o);
                    EXPECT_EQ(t.launches.front().grid, (n * bytes(type) + 512 * vectors - 1) / (512 * vectors));
                    visit_element(type, [&](auto zero) {
                        using T = decltype(zero);
                        EXPECT_EQ(output_of<T>(t), expected_of<T>(o)) << name(type) << " " << n << " " << vectors;
                    });
                }
                o.strategy = "scan-coarsened";
                for (std::uint32_t batch = 16 / bytes(type); batch <= 16; batch *= 2) {
                    o.parameters = {{"exclusive", exclusive}, {"vectors", 1}, {"batch", batch}};
                    const Trace t = run(o);
                    visit_element(type, [&](auto zero) {
                        using T = decltype(zero);
                        EXPECT_EQ(output_of<T>(t), expected_of<T>(o)) << name(type) << " " << n << " " << batch;
                    });
                }
            }
        }
    }
}

// A batch of 16 bytes is coalesced: a request of loads or stores touches 16 sectors, where one element of each of four
// would touch as many four times.
TEST(Vectors, LoadAndStoreSixteenBytesALane) {
    RunOptions o = cpu("scan-coarsened", 4 * 128, 128);
    const auto counts = [&] { return run(o).launches.front().totals(); };
    const Counters apart = counts();
    o.parameters["vectors"] = 1;
    const Counters together = counts();
    EXPECT_EQ(apart.global_load_requests, 16U);
    EXPECT_EQ(apart.global_load_sectors, 16U * 16);
    EXPECT_EQ(together.global_load_requests, 4U);
    EXPECT_EQ(together.global_load_sectors, 4U * 16);
    EXPECT_EQ(together.global_store_requests, 4U);
    EXPECT_EQ(together.global_store_sectors, 4U * 16);
    o.parameters["batch"] = 2;
    EXPECT_TRUE(refusal(o).has_value());
    o.strategy = "scan-lookback";
    o.parameters = {{"vectors", 5}};
    EXPECT_TRUE(refusal(o).has_value());
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

// More tiles than blocks: each block goes through its own, and keeps the prefix from one to the next.
TEST(Pipelined, ScansSeveralTilesABlock) {
    for (const ElementType type : {ElementType::i32, ElementType::f64}) {
        for (const std::uint32_t exclusive : {0U, 1U}) {
            for (const std::uint32_t vectors : {1U, 3U, 9U}) {
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
    const Trace t = run(cpu("scan-pipelined", 128 * 40, 64)); // one vector a thread
    const Launch& l = t.launches.front();
    ASSERT_EQ(l.grid, 40U);
    std::vector<std::uint32_t> reads(l.grid);
    for (const Node& node : l.nodes) {
        if (node.kind == NodeKind::partial) {
            EXPECT_LT(node.element, 128 * node.block);
            EXPECT_EQ(node.element % 128, 127U) << "the last element of a tile";
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
    EXPECT_EQ(wide, 40U) << "a copy a tile";
}

TEST(Pipelined, SaysWhichVectorsThereAre) {
    RunOptions o = cpu("scan-pipelined", 1000);
    o.parameters = {{"vectors", 4}};
    EXPECT_NE(refusal(o).value_or("").find("take 1, 3 or 9"), std::string::npos);
}

// Two threads that store to one element of the output between two barriers race like two on a shared word.
TEST(Recorder, FindsRacesOnTheOutputUsedAsMemory) {
    RecorderSetup setup;
    setup.block_threads = 64;
    setup.window_count = 1;
    Recorder recorder(setup);
    recorder.begin_block(0);
    ThreadTrace a, b;
    b.thread = 40;
    b.lane = 8;
    b.warp = 1;
    recorder.array_access(a, AccessKind::global_store, 100, 5, SourceLine::none());
    recorder.end_warp();
    recorder.array_access(b, AccessKind::global_load, 100, 5, SourceLine::none());
    recorder.end_warp();
    recorder.end_block();
    Launch l;
    l.block = 64;
    l.window_count = 1;
    recorder.finish(l);
    ASSERT_EQ(l.hazards.size(), 1U);
    EXPECT_EQ(l.hazards[0].space, MemorySpace::output);
    EXPECT_EQ(l.hazards[0].word, 105U);
    EXPECT_EQ(l.hazards[0].second_thread, 40U);
    EXPECT_EQ(l.steps.at(0).counters.hazards, 1U);
}

// A barrier brings threads that skipped a step to where the others are.
TEST(Recorder, ThreadsMeetInTheFurthestStep) {
    for (const bool skipper_first : {false, true}) {
        Recorder recorder({});
        recorder.begin_block(0);
        ThreadTrace a, b;
        b.thread = 1;
        b.lane = 1;
        recorder.enter_step(a, StepKind::stage, 4, Phase::totals);
        recorder.end_interval();
        recorder.arrive(a);
        recorder.arrive(b);
        recorder.enter_step(skipper_first ? b : a, StepKind::stage, 1, Phase::add_totals);
        recorder.enter_step(skipper_first ? a : b, StepKind::stage, 1, Phase::add_totals);
        recorder.end_block();
        Launch l;
        recorder.finish(l);
        ASSERT_EQ(l.steps.size(), 3U);
        EXPECT_EQ(l.steps[1].phase, Phase::totals);
        EXPECT_EQ(l.steps[2].phase, Phase::add_totals);
    }
}

} // namespace
} // namespace warptree
