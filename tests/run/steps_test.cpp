// Which accesses belong to which step.
#include "app/catalogue/catalogue.hpp"
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

// What the lessons say of steps holds in the runs that open beside them.
TEST(Steps, AreAsTheLessonsSay) {
    const StrategyInfo& matmul = require_strategy("tiled-matmul");
    EXPECT_NE(matmul.lesson.find("Step first = p is the compute phase of the tiles that begin at p"), std::string::npos)
        << matmul.lesson;
    const Launch product = runs::run_any(exhibit("tiled-matmul", 32, 256)).launches.front();
    for (const char* label : {"first = 0", "first = 16"}) { // 32 elements in tiles of 16
        EXPECT_NE(product.steps[step(product, label)].counters.combines, 0U) << label;
    }
    // Of two warps the second has no thread whose index is a multiple of 64, and is idle in the last step.
    const StrategyInfo& modulo = require_strategy("interleaved-modulo");
    EXPECT_NE(modulo.lesson.find("every warp that adds has inactive lanes from the first step"), std::string::npos)
        << modulo.lesson;
    RunOptions o = cpu("interleaved-modulo", 64);
    o.block = 64;
    const Launch l = runs::run_any(o).launches.front();
    for (const char* label : {"s = 1", "s = 2", "s = 4", "s = 8", "s = 16", "s = 32"}) {
        const Counters& c = l.steps[step(l, label)].counters;
        EXPECT_EQ(c.active_warps, label == std::string("s = 32") ? 1U : 2U) << label;
        EXPECT_EQ(c.divergent_warps, c.active_warps) << label;
    }
}

} // namespace
} // namespace warptree
