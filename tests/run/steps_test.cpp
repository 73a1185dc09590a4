// Which accesses belong to which step.
#include "app/run/run.hpp"
#include "tests/run/cpu_run.hpp"
#include "tests/run/exhibit_run.hpp"

#include <gtest/gtest.h>

namespace warptree {
namespace {

// The last warp's first load, which it keeps in a register, belongs to its first step and not to the one before.
TEST(Steps, TheLastWarpLoadsInItsOwn) {
    for (const char* id : {"unroll-last-warp", "unroll-complete", "multiple-adds", "missing-syncwarp"}) {
        RunOptions o = cpu(id, 3 * 256);
        o.block = 128;
        o.window = {0, 3};
        const Launch l = runs::run_any(o).launches.front();
        ASSERT_EQ(l.grid, 3U) << id;
        const Counters &several = l.steps[step(l, "s = 64")].counters, &last = l.steps[step(l, "s = 32")].counters;
        EXPECT_EQ(several.shared_load_requests, 3U * 2 * 2) << id << ": two warps, two operands";
        EXPECT_EQ(last.shared_load_requests, 3U * 2) << id;
        EXPECT_EQ(l.steps[step(l, "s = 16")].counters.shared_load_requests, 3U)
            << id << ": one operand is in a register";
    }
    for (const std::uint32_t block : {2U, 8U, 32U, 64U}) { // the last warp has no step before
        RunOptions o = cpu("unroll-complete", 2 * block);
        o.block = block;
        const Launch l = runs::run_any(o).launches.front();
        EXPECT_EQ(l.steps[0].counters.shared_load_requests, 0U) << block;
        EXPECT_EQ(l.steps[1].counters.shared_load_requests, 2U) << block;
    }
}

} // namespace
} // namespace warptree
