// Shuffles compared with the PTX definition of shfl.sync, sectors with the trace and brute force.
#include "app/run/kernel_run.hpp"
#include "app/views/banks/exchange.hpp"

#include "tests/support/scene_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <vector>

namespace warptree::scene {
namespace {

// PTX ISA, shfl.sync: `c` holds the clamp and the segment mask as the CUDA functions set them. The lane to read from,
// or the lane itself when the predicate is false.
unsigned ptx_source(ShuffleKind kind, unsigned lane, unsigned b, unsigned width) {
    const unsigned segment = (32 - width) & 31U, clamp = kind == ShuffleKind::up ? 0 : 31;
    const unsigned max_lane = (lane & segment) | (clamp & ~segment), min_lane = lane & segment;
    switch (kind) {
    case ShuffleKind::up: {
        const int j = static_cast<int>(lane) - static_cast<int>(b);
        return j >= static_cast<int>(max_lane) ? static_cast<unsigned>(j) : lane;
    }
    case ShuffleKind::down: return lane + b <= max_lane ? lane + b : lane;
    case ShuffleKind::exchange_xor: return (lane ^ b) <= max_lane ? lane ^ b : lane;
    case ShuffleKind::index: return min_lane | (b & ~segment & 31U);
    case ShuffleKind::reduce: break; // not a shfl.sync
    }
    return lane;
}

TEST(Exchange, ShufflesReadWhatPtxSays) {
    for (const ShuffleKind kind : {ShuffleKind::down, ShuffleKind::up, ShuffleKind::exchange_xor, ShuffleKind::index}) {
        for (const unsigned width : {1U, 2U, 4U, 8U, 16U, 32U}) {
            for (unsigned b = 0; b < 32; ++b) {
                Shuffle s;
                s.kind = kind;
                s.width = static_cast<std::uint8_t>(width);
                s.delta = static_cast<std::uint16_t>(b);
                s.mask = ~0U;
                const auto sources = shuffle_sources({}, s);
                for (unsigned lane = 0; lane < 32; ++lane) {
                    EXPECT_EQ(sources[lane].lane, ptx_source(kind, lane, b, width))
                        << static_cast<int>(kind) << " width " << width << " by " << b << " lane " << lane;
                }
            }
        }
    }
}

TEST(Exchange, LanesThatTakeNoPart) {
    Shuffle s;
    s.mask = 0xFF;
    s.delta = 4;
    const auto sources = shuffle_sources({}, s);
    EXPECT_EQ(sources[0], (LaneSource{LaneSource::Kind::lane, 4}));
    EXPECT_EQ(sources[4], (LaneSource{LaneSource::Kind::not_there, 8}));
    EXPECT_EQ(sources[8].kind, LaneSource::Kind::absent);
    s.mask = ~0U;
    EXPECT_EQ(shuffle_sources({}, s)[30], (LaneSource{LaneSource::Kind::own, 30}));
}

TEST(Exchange, AReductionTakesTheWholeMask) {
    const Trace& trace = tests::trace_of({"hardware-reduce", 100, 128});
    const Launch& l = trace.launches[0];
    const auto reduce = std::find_if(l.shuffles.begin(), l.shuffles.end(),
                                     [](const Shuffle& s) { return s.kind == ShuffleKind::reduce; });
    ASSERT_NE(reduce, l.shuffles.end());
    const auto sources = shuffle_sources(l, *reduce);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        EXPECT_EQ(sources[lane].kind,
                  (reduce->mask >> lane & 1U) != 0 ? LaneSource::Kind::all : LaneSource::Kind::absent);
    }
    const std::uint32_t at = static_cast<std::uint32_t>(l.requests.size() + (reduce - l.shuffles.begin()));
    const Drawing d =
        draw_banks(tests::context_of(trace, {0, reduce->step, 1}, tests::EvenMeasure{}), {0, 0, 900, 300}, at);
    const auto words = tests::texts(d);
    EXPECT_TRUE(std::any_of(words.begin(), words.end(), [](const Text& t) { return t.text == "sum of 32 lanes"; }));
}

TEST(Exchange, SectorsAreThoseOfTheTrace) {
    for (const char* strategy : {"interleaved-modulo", "first-add", "warp-shuffle", "block-atomic", "vectorized"}) {
        for (const std::uint64_t n : {1, 31, 32, 33, 1000}) {
            const Trace& trace = tests::trace_of({strategy, n, strategy == std::string("warp-shuffle") ? 32U : 64U});
            const Launch& l = trace.launches[0];
            for (const Request& r : l.requests) {
                if (is_shared(r.kind) || r.mask == 0) {
                    continue;
                }
                const SectorPlan plan = make_sector_plan(l, r);
                EXPECT_EQ(plan.sectors.size(), r.sectors) << strategy << n;
                std::set<std::uint64_t> bytes;
                for (std::uint32_t rest = r.mask; rest != 0; rest &= rest - 1) {
                    const std::uint64_t index = l.index_of(r, static_cast<unsigned>(std::countr_zero(rest)));
                    for (unsigned b = 0; b < r.bytes; ++b) {
                        bytes.insert(index * r.bytes + b);
                    }
                }
                EXPECT_EQ(plan.used_bytes, bytes.size());
                EXPECT_EQ(plan.ideal, (bytes.size() + 31) / 32);
            }
        }
    }
}

TEST(Exchange, IsHeadedByWhatItIsOf) {
    Launch l;
    for (const AccessKind kind : {AccessKind::shared_load, AccessKind::shared_atomic, AccessKind::global_load,
                                  AccessKind::global_store, AccessKind::atomic, AccessKind::remote_store}) {
        Request r;
        r.kind = kind;
        r.sectors = 1;
        l.requests.push_back(r);
    }
    std::vector<std::string> headings;
    for (std::uint32_t i = 0; i <= l.requests.size(); ++i) {
        headings.emplace_back(exchange_heading(l, i));
    }
    EXPECT_EQ(headings, (std::vector<std::string>{"Bank conflicts", "Bank conflicts", "Global memory", "Global memory",
                                                  "Global memory", "Another block's memory", "Shuffle"}));
    EXPECT_EQ(std::string(exchange_heading(l, kNone)), "Bank conflicts");
}

// Constant memory has a cache of its own, which gives a word at a time: it counts in no sectors of global memory.
TEST(Exchange, LoadsFromConstantMemoryAreNoGlobalOnes) {
    RunOptions o;
    o.kernel.text = "__constant__ float weights[32] = {1, 2, 3};\n"
                    "__global__ void k(const float* in, float* out) {\n    int i = blockIdx.x * 32 + threadIdx.x;\n"
                    "    out[i] = in[i] * weights[2] + weights[threadIdx.x / 8];\n}\n";
    o.block = 32;
    o.kernel.grid = "1";
    RunControl control;
    const Trace trace = runs::run_kernel_file(o, control);
    const Launch& l = trace.launches.front();
    EXPECT_EQ(l.totals().global_load_requests, 1U);
    EXPECT_EQ(l.totals().global_load_sectors, 4U);
    std::vector<unsigned> words;
    for (const Request& r : l.requests) {
        if (r.is_constant()) {
            words.push_back(make_sector_plan(l, r).words);
        }
    }
    std::ranges::sort(words);
    EXPECT_EQ(words, (std::vector<unsigned>{1, 4}));
}

TEST(Exchange, EachIsOfItsWarpAndNoneIsForgotten) {
    const Trace& trace = tests::trace_of({"block-shuffle", 256, 128});
    const Launch& l = trace.launches[0];
    std::size_t found = 0, all = l.shuffles.size();
    for (const Request& r : l.requests) {
        all += r.mask != 0 ? 1 : 0;
    }
    for (std::uint32_t step = 0; step < l.steps.size(); ++step) {
        for (std::uint32_t block = l.window_first; block < l.window_first + l.window_count; ++block) {
            for (std::uint32_t warp = 0; warp < l.warps(); ++warp) {
                for (const std::uint32_t i : exchanges(trace, {0, step, 1}, block, warp)) {
                    EXPECT_EQ(place_of_exchange(l, i).block, block);
                    EXPECT_EQ(place_of_exchange(l, i).warp, warp);
                    ++found;
                }
            }
        }
    }
    EXPECT_EQ(found, all);
    EXPECT_EQ(place_of_exchange(l, static_cast<std::uint32_t>(l.requests.size() + l.shuffles.size())).warp, kNone);
}

} // namespace
} // namespace warptree::scene
