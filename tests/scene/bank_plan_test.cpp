// How accesses map to 32 and 16 banks, and which accesses a warp makes in a step.
#include "app/run/run.hpp"
#include "app/views/banks/bank_plan.hpp"
#include "app/views/banks/request_trace.hpp"
#include "app/views/views.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace warptree::scene {
namespace {

Trace traced(const char* strategy, int banks) {
    RunOptions options;
    options.strategy = strategy;
    options.n = 64;
    options.block = 64;
    options.banks = banks;
    options.backend = Backend::cpu;
    return runs::run_any(options);
}

TEST(BankPlan, SixteenBanksServeHalfAWarpAtATime) {
    const Trace trace = traced("interleaved-strided", 16);
    const auto all = shared_requests(trace, {.launch = 0, .step = 1}, 0, 0);
    ASSERT_FALSE(all.empty());
    const Launch& launch = trace.launches.front();
    const BankPlan plan = make_bank_plan(launch, launch.requests[all.front()], 16);
    EXPECT_EQ(plan.lanes, 16U);
    EXPECT_EQ(plan.slots, 16U);
    ASSERT_EQ(plan.groups.size(), 2U);
    EXPECT_EQ(plan.groups[1].first_lane, 16U);
    EXPECT_EQ(plan.groups[1].first_row, 2U); // two-way conflict in every other bank
    EXPECT_EQ(plan.rows, launch.requests[all.front()].wavefronts);
}

TEST(BankPlan, ThirtyTwoBanksServeTheWarp) {
    const Trace trace = traced("interleaved-strided", 32);
    const Launch& launch = trace.launches.front();
    for (const std::uint32_t i : shared_requests(trace, {.launch = 0, .step = 1}, 0, 0)) {
        const BankPlan plan = make_bank_plan(launch, launch.requests[i], 32);
        EXPECT_EQ(plan.lanes, 32U);
        EXPECT_EQ(plan.groups.size(), 1U);
        EXPECT_EQ(plan.rows, launch.requests[i].wavefronts);
    }
}

// A wide load that goes by half-warps, and one whose paired lanes go together: rows, marks and words follow the rule.
TEST(BankPlan, WideLoadsGoInHalvesOrTogether) {
    banks::BankRequest request;
    request.bytes = 8;
    for (unsigned lane = 0; lane < 32; ++lane) {
        request.index[lane] = lane % 16; // both half-warps load the same elements
    }
    Trace trace = trace_of(request, 0);
    const Request& halves = trace.launches[0].requests[0];
    BankPlan plan = make_bank_plan(trace.launches[0], halves, 32);
    EXPECT_EQ(plan.groups.size(), 2U);
    EXPECT_EQ(plan.rows, 2U);
    EXPECT_EQ(plan.rows, halves.wavefronts);
    EXPECT_TRUE(std::none_of(plan.words.begin(), plan.words.end(), [](const auto& word) { return word.extra; }));
    EXPECT_NE(verdict(halves, plan).find("8-byte elements take 2 passes"), std::string::npos) << verdict(halves, plan);

    for (unsigned lane = 0; lane < 32; ++lane) {
        request.index[lane] = lane / 2 * 2; // two elements in each of eight slots
    }
    trace = trace_of(request, 0);
    const Request& together = trace.launches[0].requests[0];
    plan = make_bank_plan(trace.launches[0], together, 32);
    EXPECT_EQ(plan.groups.size(), 1U);
    EXPECT_EQ(plan.rows, 2U);
    EXPECT_EQ(together.wavefronts, 2U);
    EXPECT_EQ(together.ideal, 1U);
    EXPECT_EQ(std::count_if(plan.words.begin(), plan.words.end(), [](const auto& word) { return word.extra; }), 8);
    EXPECT_NE(verdict(together, plan).find("so 32 lanes are served at a time"), std::string::npos)
        << verdict(together, plan);
}

TEST(SharedRequests, AreOfOneWarpInOrderOfIssue) {
    const Trace trace = traced("interleaved-modulo", 32);
    const Launch& launch = trace.launches.front();
    const auto all = shared_requests(trace, {.launch = 0, .step = 1}, 0, 1);
    ASSERT_EQ(all.size(), 3U); // two operands, then the result
    EXPECT_EQ(launch.requests[all[0]].kind, AccessKind::shared_load);
    EXPECT_EQ(launch.requests[all[1]].kind, AccessKind::shared_load);
    EXPECT_EQ(launch.requests[all[2]].kind, AccessKind::shared_store);
    for (const std::uint32_t i : all) {
        EXPECT_EQ(launch.requests[i].warp, 1U);
        EXPECT_EQ(launch.requests[i].step, 1U);
    }
    EXPECT_TRUE(shared_requests(trace, {.launch = 7, .step = 0}, 0, 0).empty());
}

} // namespace
} // namespace warptree::scene
