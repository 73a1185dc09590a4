// The recorder of a block by itself, told what threads do.
#include "kernels/trace/recorder.hpp"

#include <gtest/gtest.h>

namespace warptree {
namespace {

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
