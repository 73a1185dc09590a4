// Exhibits that go right: accesses that only look like conflicts, and which branches part a warp.
#include "kernels/run.hpp"
#include "tests/kernels/exhibit_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warptree {
namespace {

TEST(Exhibits, TwoOperandsInOneBankAreTwoRequests) {
    const Trace t = run(exhibit("two-operands-no-conflict", 1000, 32));
    EXPECT_TRUE(t.pass);
    const Launch& l = t.launches.front();
    std::vector<const Request*> loads;
    for (const Request& r : l.requests) {
        if (r.block == 0 && r.step == step(l, "s = 32") && r.kind == AccessKind::shared_load) {
            loads.push_back(&r);
        }
    }
    ASSERT_EQ(loads.size(), 2U);
    for (unsigned lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(l.indices[loads[0]->first_index + lane], lane);
        EXPECT_EQ(l.indices[loads[1]->first_index + lane], lane + 32);
    }
    EXPECT_EQ(loads[0]->wavefronts, 1U);
    EXPECT_EQ(loads[1]->wavefronts, 1U);
    EXPECT_EQ(l.totals().hazards, 0U);
}

TEST(Exhibits, ABroadcastTakesOneWavefront) {
    for (const std::uint32_t block : {32U, 64U, 256U}) {
        const Trace t = run(exhibit("broadcast", 1000, block));
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

// Paths of each warp in the step that branches, over all blocks of the first launch.
std::vector<unsigned> paths(const Launch& l, std::uint32_t block) {
    std::vector<unsigned> of_warp(l.warps(), 0);
    for (const Request& r : l.requests) {
        if (r.block == block && r.step == 1) {
            of_warp[r.warp] = std::max<unsigned>(of_warp[r.warp], r.path + 1U);
        }
    }
    return of_warp;
}

TEST(Exhibits, ABranchOnTheThreadPartsWarp0Only) {
    for (const std::uint32_t block : {32U, 64U, 256U}) {
        const Trace t = run(exhibit("divergence-thread", 2000, block));
        EXPECT_TRUE(t.pass);
        const Launch& l = t.launches.front();
        const Step& branch = l.steps[step(l, "s = " + std::to_string(block))];
        EXPECT_EQ(branch.counters.divergent_warps, l.grid);
        EXPECT_EQ(branch.counters.active_threads, l.grid * block);
        // Warp 0 makes each of its three accesses twice.
        EXPECT_EQ(branch.counters.shared_load_requests, 2 * (l.grid * block / 32 + l.grid));
        EXPECT_EQ(branch.counters.shared_store_requests, l.grid * block / 32 + l.grid);
        EXPECT_EQ(l.steps.back().counters.divergent_warps, 0U);
        for (std::uint32_t b = 0; b < l.grid; ++b) {
            std::vector<unsigned> expected(block / 32, 1);
            expected[0] = 2;
            EXPECT_EQ(paths(l, b), expected);
            EXPECT_EQ(l.warp_step(b, 1, 0).other_path, 0xFFFFFFF8U) << "lanes 3 to 31 are not with lane 0";
        }
    }
}

TEST(Exhibits, ABranchOnTheBlockPartsNoWarp) {
    for (const std::uint32_t block : {32U, 64U, 256U}) {
        const Trace t = run(exhibit("divergence-block", 16 * block, block)); // 8 whole blocks
        EXPECT_TRUE(t.pass);
        const Launch& l = t.launches.front();
        ASSERT_EQ(l.grid, 8U);
        EXPECT_EQ(l.totals().divergent_warps, 0U);
        for (std::uint32_t b = 0; b < l.grid; ++b) {
            EXPECT_EQ(paths(l, b), std::vector<unsigned>(block / 32, 1));
        }
        // Blocks 0, 1 and 2 take the other side: other lines of the source.
        const auto line = [&](std::uint32_t b) {
            return std::find_if(l.requests.begin(), l.requests.end(),
                                [&](const Request& r) { return r.block == b && r.step == 1; })
                ->line;
        };
        EXPECT_EQ(line(0), line(2));
        EXPECT_EQ(line(3), line(7));
        EXPECT_NE(line(2), line(3));
    }
}

} // namespace
} // namespace warptree
