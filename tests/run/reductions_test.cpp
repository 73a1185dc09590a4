// The reductions of later lectures: closed forms of their counters, their parameters, the finish in the last block.
#include "app/base/error.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/run/input.hpp"
#include "app/run/run.hpp"
#include "tests/run/cpu_run.hpp"
#include "tests/support/sanitizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

namespace warptree {
namespace {

using testing::HasSubstr;

const Counters& counters_of(const Trace& t, const std::string& label) {
    const auto& steps = t.launches.front().steps;
    const auto it = std::find_if(steps.begin(), steps.end(), [&](const Step& s) { return s.label == label; });
    EXPECT_NE(it, steps.end()) << label;
    return it->counters;
}

std::string refusal_of(const RunOptions& o) { return refusal(o).value_or(""); }

class Blocks : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Reductions, Blocks, testing::Values(1, 2, 8, 32, 64, 128, 256, 1024));

// Stage s: every (4s)-th thread combines up to four words; a block takes ceil(log4 B) stages.
TEST_P(Blocks, FourWayClosedForm) {
    const std::uint64_t B = GetParam();
    RunOptions o = cpu("four-way", 4 * B);
    o.block = GetParam();
    const Trace t = runs::run_any(o);
    EXPECT_EQ(counters_of(t, "load").combines, 3 * B);
    std::uint64_t stages = 0;
    for (std::uint64_t s = 1; s < B; s *= 4, ++stages) {
        const std::uint64_t groups = (B + 4 * s - 1) / (4 * s), words = B / s;
        EXPECT_EQ(counters_of(t, "s = " + std::to_string(s)).active_threads, groups);
        EXPECT_EQ(counters_of(t, "s = " + std::to_string(s)).combines, words - groups);
    }
    EXPECT_EQ(t.launches.front().steps.size(), stages + 2);
    EXPECT_EQ(t.tree.combines, 4 * B - 1);
    // A warp's lanes load elements 16 bytes apart: each request touches four times the sectors of a coalesced one.
    if (B >= 32) {
        EXPECT_EQ(counters_of(t, "load").global_load_sectors, 4 * (B / 32) * 16);
    }
}

TEST_P(Blocks, ThreeToOneClosedForm) {
    const std::uint64_t B = GetParam();
    RunOptions o = cpu("three-to-one", 6 * B);
    o.block = GetParam();
    const Trace t = runs::run_any(o);
    EXPECT_EQ(t.launches.front().shared_bytes, 24 * B);
    EXPECT_EQ(counters_of(t, "three to one 1").combines + counters_of(t, "three to one 2").combines, 4 * B);
    for (std::uint64_t s = B; s > 0; s /= 2) {
        EXPECT_EQ(counters_of(t, "s = " + std::to_string(s)).combines, s);
    }
    EXPECT_EQ(t.tree.depth, 2U + static_cast<unsigned>(std::bit_width(B)));
}

class StopAt : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Reductions, StopAt, testing::Values(32, 64, 128));

TEST_P(StopAt, HandsOffThatManyValuesABlock) {
    const std::uint64_t K = GetParam(), B = 128, n = 8 * B * 5;
    RunOptions o = cpu("hand-off", n);
    o.block = B;
    o.input = InputKind::iota;
    o.parameters["stop-at"] = GetParam();
    const Trace t = runs::run_any(o);
    EXPECT_TRUE(t.pass);
    std::uint64_t left = n, launches = 0;
    do { // each block of 2B elements leaves K values
        left = (left + 2 * B - 1) / (2 * B) * K;
        ASSERT_LT(launches, t.launches.size());
        EXPECT_EQ(t.launches[launches++].outputs_total, left);
    } while (left > K);
    EXPECT_EQ(t.launches.size(), launches);
    EXPECT_EQ(t.host_partials, K);
    for (const Launch& l : t.launches) {
        const Counters totals = l.totals();
        EXPECT_EQ(totals.divergent_warps, 0U); // no warp runs with fewer than 32 lanes
        EXPECT_EQ(l.steps.back().counters.active_threads, l.grid * K);
    }
}

TEST(HandOff, NeedsAThreadForEachValue) {
    RunOptions o = cpu("hand-off", 1000);
    o.block = 64;
    o.parameters["stop-at"] = 128;
    EXPECT_THAT(refusal_of(o), HasSubstr("take a larger --block"));
    o.parameters["stop-at"] = 48;
    EXPECT_THAT(refusal_of(o), HasSubstr("--stop-at 48 is not usable; take a power of two, 32 to 128"));
}

TEST(Persistent, FillsTheMultiprocessorsAndNoMore) {
    for (const std::uint32_t sms : {1U, 2U, 132U}) {
        RunOptions o = cpu("persistent", 100000);
        o.parameters["sms"] = sms;
        const Trace t = runs::run_any(o);
        EXPECT_TRUE(t.pass);
        EXPECT_EQ(t.launches.front().grid, std::min<std::uint64_t>(2 * sms, (100000 + 1023) / 1024));
    }
}

TEST(Segmented, EachBlockGivesItsOwnResult) {
    for (const std::uint64_t n : {5U, 31U, 1000U, 4097U}) {
        RunOptions o = cpu("segmented", n);
        o.input = InputKind::iota;
        o.parameters["segments"] = 5;
        const Trace t = runs::run_any(o);
        EXPECT_TRUE(t.pass);
        EXPECT_EQ(t.host_partials, 0U);
        const std::uint64_t length = (n + 4) / 5;
        ASSERT_EQ(t.launches.front().partials.size(), 5U);
        for (std::uint64_t k = 0; k < 5; ++k) {
            const std::uint64_t first = std::min(n, k * length), end = std::min(n, first + length);
            EXPECT_EQ(t.launches.front().partials[k].as<std::int32_t>(),
                      static_cast<std::int32_t>((end - first) * (first + end - (end > first ? 1 : 0)) / 2))
                << n << " " << k;
        }
        EXPECT_EQ(t.tree.leaves, n);
        EXPECT_EQ(t.tree.combines, t.tree.useful_combines + t.tree.padding_combines);
    }
    RunOptions o = cpu("segmented", 1000);
    o.finish = Finish::atomic;
    EXPECT_THAT(refusal_of(o), HasSubstr("many results"));
}

TEST(WarpButterfly, EveryLaneCombinesAndOneTreeIsUseful) {
    const Trace t = runs::run_any(cpu("warp-butterfly", 64));
    const Counters c = t.launches.front().totals();
    EXPECT_EQ(c.combines, 2U * 5 * 32);
    EXPECT_EQ(c.useful_combines, 2U * 31);
    EXPECT_EQ(c.shuffles, 10U);
    for (const Shuffle& s : t.launches.front().shuffles) {
        EXPECT_EQ(s.kind, ShuffleKind::exchange_xor);
        EXPECT_EQ(s.delta, t.launches.front().steps[s.step].stride);
    }
}

TEST(TwoKernel, IsTwoLaunchesTheSecondOfOneBlock) {
    for (const std::uint64_t n : {513ULL, 100000ULL, 1ULL << 20}) {
        const Trace t = runs::run_any(cpu("two-kernel", n));
        EXPECT_TRUE(t.pass);
        ASSERT_EQ(t.launches.size(), 2U) << n;
        EXPECT_EQ(t.launches[0].block, 512U);
        EXPECT_EQ(t.launches[0].grid, std::min<std::uint64_t>((n + 511) / 512, 1024));
        EXPECT_EQ(t.launches[1].block, 1024U);
        EXPECT_EQ(t.launches[1].grid, 1U);
    }
}

TEST(Vectorized, LoadsSixteenBytesALane) {
    RunOptions o = cpu("vectorized", 4 * 4 * 512);
    o.window = {0, 1};
    const Trace t = runs::run_any(o);
    const Counters& load = counters_of(t, "load");
    EXPECT_EQ(load.global_load_requests, 4U * 512 / 32);
    EXPECT_EQ(load.global_load_sectors, 4U * 4 * 512 * 4 / 32);
    unsigned vectors = 0;
    for (const Request& r : t.launches.front().requests) {
        vectors += r.kind == AccessKind::global_load && r.step == 0 ? 1 : 0;
        EXPECT_EQ(r.bytes, r.kind == AccessKind::global_load && r.step == 0 ? 16 : 4);
    }
    EXPECT_EQ(vectors, 64U);
    o.type = ElementType::f64; // two elements per load
    EXPECT_EQ(counters_of(runs::run_any(o), "load").global_load_requests, 8U * 512 / 32);
}

// Five tiles for two blocks: each block starts with its own tile and draws the next one from the queue, once per tile.
TEST(Vectorized, TakesTilesFromAQueue) {
    for (const std::uint64_t extra : {0ULL, 1ULL, 31ULL, 1000ULL}) {
        RunOptions o = cpu("vectorized", 32 * 4 * 8 * 5 + extra);
        o.block = 32;
        o.parameters["blocks"] = 2;
        o.input = InputKind::random;
        const Trace t = runs::run_any(o);
        EXPECT_TRUE(t.pass) << extra;
        EXPECT_EQ(t.tree.leaves, o.n);
        const std::uint64_t tiles = (o.n / 4 + 255) / 256;
        EXPECT_EQ(t.launches.front().totals().atomics, tiles);
    }
}

// One block, blocks with one or more loads per thread, and queues; sizes around a vector and a tile.
TEST(Vectorized, AddsEveryElementOnce) {
    for (const ElementType type : kElementTypes) {
        for (const std::uint64_t n : // sums are exact in f32
             tests::sampled<std::uint64_t>({1, 3, 31, 32, 33, 1000, 2047, 2049, 5001}, {33, 2049})) {
            for (const std::uint32_t blocks : {1U, 3U, 264U}) {
                RunOptions o = cpu("vectorized", n);
                o.block = 64;
                o.type = type;
                o.parameters["blocks"] = blocks;
                o.input = InputKind::iota;
                const Trace t = runs::run_any(o);
                EXPECT_TRUE(t.pass) << n << " " << blocks << " " << name(type);
                EXPECT_EQ(t.tree.leaves, n);
                EXPECT_EQ(t.result.as_double(), static_cast<double>(n * (n - 1) / 2)) << n << " " << blocks;
                EXPECT_EQ(t.launches.front().totals().hazards, 0U);
            }
        }
    }
}

TEST(HardwareReduce, IsOneInstructionAWarpAndTakesWordsOnly) {
    const Trace t = runs::run_any(cpu("hardware-reduce", 1024));
    const Counters& c = counters_of(t, "warps");
    EXPECT_EQ(c.shuffles, 32U); // 4 blocks of 8 warps
    EXPECT_EQ(c.combines, 32U * 31);
    EXPECT_EQ(c.divergent_warps, 0U);
    RunOptions o = cpu("hardware-reduce", 64);
    o.type = ElementType::f32;
    EXPECT_THAT(refusal_of(o), HasSubstr("take elements of i32, u32"));
    o.type = ElementType::u32;
    o.op = Operator::product;
    EXPECT_THAT(refusal_of(o), HasSubstr("take elements of i32, u32"));
}

// The hardware decides which block finishes last; only that block's own steps depend on it.
TEST(LastBlockFinish, AnyBlockMayBeTheLast) {
    for (const char* id : {"sequential", "block-shuffle", "unroll-complete", "last-block", "warp-shuffle"}) {
        RunOptions o = cpu(id, 500);
        o.block = 32;
        o.finish = Finish::last_block;
        o.input = InputKind::random;
        const Trace usual = runs::run_any(o);
        const std::uint32_t grid = usual.launches.front().grid;
        for (std::uint32_t last = 0; last < grid; ++last) {
            o.last_block = last;
            const Trace t = runs::run_any(o);
            EXPECT_TRUE(t.pass) << id << " " << last;
            EXPECT_EQ(t.result, usual.result);
            EXPECT_EQ(t.tree, usual.tree);
            EXPECT_EQ(t.launches.front().steps, usual.launches.front().steps);
            EXPECT_EQ(t.launches.front().totals().atomics, grid);
            EXPECT_EQ(t.launches.front().totals().hazards, 0U);
            EXPECT_EQ(t.tree.leaves, 500U);
        }
    }
}

TEST(SumOfSquares, MapsOnceAndThenSums) {
    for (const char* id : {"sequential", "vectorized", "hardware-reduce", "two-kernel"}) {
        for (const std::uint64_t n : {1U, 31U, 33U, 1000U}) {
            for (const Finish finish : require_strategy(id).finishes) {
                RunOptions o = cpu(id, n);
                o.op = Operator::sum_of_squares;
                o.input = InputKind::iota;
                o.finish = finish;
                const Trace t = runs::run_any(o);
                EXPECT_TRUE(t.pass) << id;
                EXPECT_EQ(t.result.as<std::int32_t>(), static_cast<std::int32_t>((n - 1) * n * (2 * n - 1) / 6))
                    << id << " " << n << " " << name(finish);
            }
        }
    }
}

TEST(Parameters, OfAnotherStrategyAreRefused) {
    RunOptions o = cpu("sequential", 64);
    o.parameters["stop-at"] = 32;
    EXPECT_THAT(refusal_of(o), HasSubstr("--stop-at does not apply to sequential"));
    EXPECT_TRUE(parameters_of(require_strategy("sequential"), o.parameters).empty());
    EXPECT_EQ(parameters_of(require_strategy("hand-off"), o.parameters), o.parameters);
}

TEST(Parameters, DefaultsAreFilledInAndKeptInTheTrace) {
    EXPECT_EQ(runs::run_any(cpu("hand-off", 64)).options.parameters, (ParameterValues{{"stop-at", 32}}));
}

TEST(Refusal, OfARelaunchThatNeverEnds) {
    RunOptions o = cpu("persistent", 31);
    o.block = 1;
    o.finish = Finish::relaunch;
    EXPECT_THAT(refusal_of(o), HasSubstr("relaunching never ends"));
}

} // namespace
} // namespace warptree
