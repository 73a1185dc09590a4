// Runs off the drawing thread: the latest request wins, and it is pending until its trace has been taken.
#include "app/document/runner.hpp"

#include <gtest/gtest.h>

namespace warptree::session {
namespace {

constexpr int kTimes = 100; // repetitions for faults that depend on thread timing

RunOptions small(const char* strategy) {
    RunOptions o;
    o.strategy = strategy;
    o.n = 64;
    o.block = 32;
    o.backend = Backend::cpu;
    return o;
}

void wait_until_nearly_done(const Runner& runner) {
    while (runner.progress() < 1) {
        std::this_thread::yield();
    }
}

TEST(Runner, IsBusyUntilItsTraceIsTaken) {
    Runner runner([] {});
    for (int i = 0; i < kTimes; ++i) {
        runner.request(small("sequential"));
        for (bool taken = false; !taken;) {
            ASSERT_TRUE(runner.busy()) << "what asks whether anything is still to come would run it again";
            taken = runner.take().has_value();
        }
        EXPECT_FALSE(runner.busy());
        EXPECT_FALSE(runner.take());
    }
}

TEST(Runner, DropsWhatAnEarlierRequestHasLeft) {
    Runner runner([] {});
    for (int i = 0; i < kTimes; ++i) {
        runner.request(small("sequential"));
        wait_until_nearly_done(runner);
        runner.request(small("first-add"));
        std::optional<RunOutcome> outcome;
        while (!(outcome = runner.take())) {
            std::this_thread::yield();
        }
        EXPECT_EQ(outcome->trace->options.strategy, "first-add") << i;
    }
}

TEST(Runner, LeavesNothingOnceCancelled) {
    Runner runner([] {});
    for (int i = 0; i < kTimes; ++i) {
        runner.request(small("sequential"));
        wait_until_nearly_done(runner);
        runner.cancel();
        while (runner.busy()) {
            std::this_thread::yield();
        }
        EXPECT_FALSE(runner.take()) << "it would take the place of a file opened since";
    }
}

} // namespace
} // namespace warptree::session
