// Correct exhibits: accesses that only look like conflicts, and which branches make a warp diverge.
#include "app/run/run.hpp"
#include "tests/run/exhibit_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace warptree {
namespace {

TEST(Exhibits, TwoOperandsInOneBankAreTwoRequests) {
    const Trace t = runs::run_any(exhibit("two-operands-no-conflict", 1000, 32));
    EXPECT_TRUE(t.pass);
    const Launch& l = t.launches.front();
    std::vector<const Request*> loads;
    for (const Request& r : l.requests) {
        if (r.block == 0 && r.step == step(l, "pairs") && r.kind == AccessKind::shared_load) {
            loads.push_back(&r);
        }
    }
    ASSERT_EQ(loads.size(), 2U);
    for (unsigned lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(l.index_of(*loads[0], lane), lane);
        EXPECT_EQ(l.index_of(*loads[1], lane), lane + 32);
    }
    EXPECT_EQ(loads[0]->wavefronts, 1U);
    EXPECT_EQ(loads[1]->wavefronts, 1U);
    EXPECT_EQ(l.totals().hazards, 0U);
}

TEST(Exhibits, ABroadcastTakesOneWavefront) {
    for (const std::uint32_t block : {32U, 64U, 256U}) {
        const Trace t = runs::run_any(exhibit("broadcast", 1000, block));
        EXPECT_TRUE(t.pass);
        const Launch& l = t.launches.front();
        unsigned seen = 0;
        for (const Request& r : l.requests) {
            if (r.step == step(l, "store") && r.kind == AccessKind::shared_load) {
                EXPECT_EQ(r.mask, 0xFFFFFFFFU);
                EXPECT_EQ(r.wavefronts, 1U);
                ++seen;
            }
        }
        EXPECT_EQ(seen, l.grid * block / 32);
    }
}

TEST(Exhibits, ABranchOnTheThreadPartsWarp0Only) {
    for (const std::uint32_t block : {32U, 64U, 256U}) {
        const Trace t = runs::run_any(exhibit("divergence-thread", 2000, block));
        EXPECT_TRUE(t.pass);
        const Launch& l = t.launches.front();
        const Counters &yes = l.steps[step(l, "if")].counters, &no = l.steps[step(l, "else")].counters;
        EXPECT_EQ(yes.divergent_warps, l.grid);
        EXPECT_EQ(no.divergent_warps, l.grid);
        EXPECT_EQ(yes.active_threads + no.active_threads, l.grid * block);
        // Warp 0 diverges, so each of its three accesses takes two requests.
        EXPECT_EQ(yes.shared_load_requests + no.shared_load_requests, 2 * (l.grid * block / 32 + l.grid));
        EXPECT_EQ(yes.shared_store_requests + no.shared_store_requests, l.grid * block / 32 + l.grid);
        EXPECT_EQ(l.steps.back().counters.divergent_warps, 0U);
        for (std::uint32_t b = 0; b < l.grid; ++b) {
            for (std::uint32_t w = 0; w < block / 32; ++w) {
                const std::uint32_t in_if = l.warp_step(b, step(l, "if"), w).active;
                const std::uint32_t in_else = l.warp_step(b, step(l, "else"), w).active;
                EXPECT_EQ(in_if | in_else, 0xFFFFFFFFU);
                EXPECT_EQ(std::min(in_if, in_else), w == 0 ? 7U : 0U) << "lanes 0 to 2 are not with the others";
            }
        }
    }
}

TEST(Exhibits, ABranchOnTheBlockPartsNoWarp) {
    for (const std::uint32_t block : {32U, 64U, 256U}) {
        const Trace t = runs::run_any(exhibit("divergence-block", 16 * block, block)); // 8 full blocks
        EXPECT_TRUE(t.pass);
        const Launch& l = t.launches.front();
        ASSERT_EQ(l.grid, 8U);
        EXPECT_EQ(l.totals().divergent_warps, 0U);
        for (std::uint32_t b = 0; b < l.grid; ++b) {
            for (std::uint32_t w = 0; w < block / 32; ++w) {
                const std::uint32_t in_if = l.warp_step(b, step(l, "if"), w).active;
                EXPECT_TRUE(in_if == 0 || in_if == 0xFFFFFFFFU);
                EXPECT_EQ(l.warp_step(b, step(l, "else"), w).active, ~in_if);
            }
        }
        // Blocks 0, 1 and 2 take the other branch, on other source lines.
        const auto line = [&](std::uint32_t b) {
            return std::find_if(l.requests.begin(), l.requests.end(),
                                [&](const Request& r) { return r.block == b && (r.step == 1 || r.step == 2); })
                ->line;
        };
        EXPECT_EQ(line(0), line(2));
        EXPECT_EQ(line(3), line(7));
        EXPECT_NE(line(2), line(3));
    }
}

// Lanes that are 8 elements of 4 bytes apart share no sector; side by side, eight of them share one.
TEST(Exhibits, AThreadsOwnStretchTakesASectorALane) {
    for (const auto& [chunk, sectors] : {std::pair(1, 4U), std::pair(2, 8U), std::pair(8, 32U), std::pair(32, 32U)}) {
        RunOptions o = exhibit("contiguous-chunk", 4096, 64);
        o.parameters["chunk"] = chunk;
        const Trace t = runs::run_any(o);
        EXPECT_TRUE(t.pass);
        unsigned seen = 0;
        for (const Request& r : t.launches.front().requests) {
            if (r.kind == AccessKind::global_load && r.mask == 0xFFFFFFFFU) {
                EXPECT_EQ(r.sectors, sectors) << chunk;
                ++seen;
            }
        }
        EXPECT_EQ(seen, 4096U / 32) << chunk;
    }
    for (const std::uint32_t n : {1U, 31U, 32U, 33U, 1000U, 4097U}) {
        EXPECT_TRUE(runs::run_any(exhibit("contiguous-chunk", n, 64)).pass) << n;
    }
    RunOptions strided = exhibit("multiple-adds", 4096, 64);
    for (const Request& r : runs::run_any(strided).launches.front().requests) {
        EXPECT_TRUE(r.kind != AccessKind::global_load || r.sectors == 4) << "the stride of the grid";
    }
}

} // namespace
} // namespace warptree
