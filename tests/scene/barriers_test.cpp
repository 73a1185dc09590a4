// Barriers as lines, a thread's lifeline, and the part of a step in which its threads wait.
#include "app/document/playback.hpp"
#include "app/features/explore/seen.hpp"
#include "app/views/barriers.hpp"
#include "app/views/warps/lifeline.hpp"
#include "tests/support/kernel_text.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>
#include <string>

namespace warptree::tests {
namespace {
using session::SubStep;
using ::testing::ElementsAre;

const Case kSequential{"sequential", 128, 128};

std::vector<std::string> texts_of(const std::vector<scene::LifeEvent>& events) {
    std::vector<std::string> all;
    for (const scene::LifeEvent& e : events) {
        all.push_back(e.text);
    }
    return all;
}

TEST(Barriers, AreAsManyAsTheStepsCountAndEveryThreadComes) {
    for (const Case& c : cases()) {
        const Trace& trace = trace_of(c);
        for (const Launch& l : trace.launches) {
            if (l.window_count != l.grid || !l.stalls.empty()) {
                continue;
            }
            std::vector<std::uint64_t> met(l.steps.size());
            for (std::uint32_t block = 0; block < l.grid; ++block) {
                for (const scene::BarrierLine& b : scene::barrier_lines(l, block)) {
                    if (b.missing) { // a race instead of a barrier
                        EXPECT_FALSE(l.hazards.empty());
                        continue;
                    }
                    ++met[b.step];
                    EXPECT_TRUE(b.passed);
                    EXPECT_EQ(b.threads, b.expected);
                    EXPECT_EQ(b.arrived.size(), l.warps());
                }
            }
            for (std::size_t s = 0; s < l.steps.size(); ++s) {
                EXPECT_EQ(met[s], l.steps[s].counters.barriers) << title(c) << " " << l.steps[s].label;
            }
        }
    }
}

TEST(Barriers, ThatNobodyPassesSayWhoWaits) {
    const Trace& trace = trace_of({"barrier-in-branch", 128, 128});
    const Launch& l = trace.launches.front();
    ASSERT_FALSE(l.stalls.empty());
    std::uint32_t waiting = 0;
    for (const Stall& s : l.stalls) {
        waiting += s.block == 0 ? static_cast<std::uint32_t>(std::popcount(s.mask)) : 0;
    }
    std::uint32_t told = 0;
    for (const scene::BarrierLine& b : scene::barrier_lines(l, 0)) {
        if (!b.passed && !b.missing) {
            told += b.threads;
            EXPECT_LT(b.threads, b.expected);
        }
    }
    EXPECT_EQ(told, waiting);
}

TEST(Barriers, ThatAreMissingAreWhereStepsRace) {
    const Trace& trace = trace_of({"missing-barrier", 128, 128});
    const Launch& l = trace.launches.front();
    ASSERT_FALSE(l.hazards.empty());
    std::size_t missing = 0;
    for (const scene::BarrierLine& b : scene::barrier_lines(l, 0)) {
        const bool races = std::any_of(l.hazards.begin(), l.hazards.end(), [&](const Hazard& h) {
            return h.block == 0 && h.second_step == b.step + 1 && h.first_step < h.second_step;
        });
        EXPECT_TRUE(!b.missing || races);
        missing += b.missing ? 1 : 0;
    }
    EXPECT_GT(missing, 0U);
    for (const scene::BarrierLine& b : scene::barrier_lines(trace_of(kSequential).launches.front(), 0)) {
        EXPECT_FALSE(b.missing);
    }
}

TEST(Barriers, RecordedArrivalsAreTaken) {
    Trace trace = trace_of(kSequential);
    Launch& l = trace.launches.front();
    ASSERT_GE(l.barriers.size(), 2U);
    l.barriers[1].number = 1;
    l.barriers[1].expected = 64;
    l.arrivals = {{1, 0, ~0U}, {1, 2, ~0U}};
    const auto all = scene::barrier_lines(l, 0);
    EXPECT_THAT(all[0].arrived, ElementsAre(~0U, ~0U, ~0U, ~0U)) << "nobody recorded who arrived: all did";
    EXPECT_THAT(all[1].arrived, ElementsAre(~0U, 0U, ~0U, 0U));
    EXPECT_EQ(all[1].threads, 64U);
    EXPECT_FALSE(all[1].takes_all);
    // A trace cut at a step keeps the arrivals at the barriers that remain.
    l.barriers.insert(l.barriers.begin(), l.barriers.back());
    l.barriers.front().step = 7;
    l.arrivals = {{2, 0, ~0U}, {2, 2, ~0U}};
    const auto seen = session::seen_until(std::make_shared<const Trace>(trace), 0, 2, session::Later::labelled);
    EXPECT_THAT(scene::barrier_lines(seen.trace->launches[0], 0)[1].arrived, ElementsAre(~0U, 0U, ~0U, 0U));
}

TEST(Barriers, LieAcrossTheWarpsThatArrived) {
    const EvenMeasure measure;
    const Trace& trace = trace_of(kSequential);
    const scene::Rect area{0, 0, 800, 600};
    for (const auto& [barrier, color] : {std::pair{session::kAllArrived, scene::theme(scene::ThemeName::dark).accent},
                                         std::pair{1.0F, scene::theme(scene::ThemeName::dark).agree}}) {
        session::Moment moment{0, 1, 1};
        moment.barrier = barrier;
        const auto context = context_of(trace, moment, measure);
        for (const scene::Drawing& drawing :
             {scene::draw_warps(context, area, 0), scene::draw_tree(context, area, {})}) {
            float reach = 0;
            for (const scene::Layer& layer : drawing.layers) {
                for (const scene::Curve& c : layer.curves) {
                    reach += c.color == color && c.dash == 0 && c.from.y == c.to.y ? c.to.x - c.from.x : 0;
                }
            }
            EXPECT_GT(reach, 500) << barrier;
        }
    }
}

TEST(Lifeline, IsWhatTheThreadDoesInOrder) {
    const Trace& trace = trace_of(kSequential); // elements 0, 1, 2, …
    // s = 64: thread t < 64 adds word t + 64 to word t.
    const auto working = scene::lifeline(trace, {0, 1, 1}, 0, 5);
    const Launch& l = trace.launches.front();
    const auto word = [&](int index) { // by the name of the array, where the trace has it
        return l.shared_arrays.empty() ? "shared word " + std::to_string(index)
                                       : l.shared_arrays[0].name + "[" + std::to_string(index) + "]";
    };
    EXPECT_THAT(texts_of(working), ElementsAre("loads " + word(5), "loads " + word(69), "combines 5 and 69 to 74",
                                               "stores 74 to " + word(5), "waits at the barrier: 128 of 128 arrived"));
    EXPECT_EQ(working.back().part, SubStep::barrier);
    const auto idle = scene::lifeline(trace, {0, 1, 1}, 0, 70);
    EXPECT_THAT(texts_of(idle),
                ElementsAre("is inactive, as is its whole warp", "waits at the barrier: 128 of 128 arrived"));
    EXPECT_TRUE(scene::lifeline(trace, {0, 1, 1}, 0, 128).empty());
    EXPECT_TRUE(scene::lifeline(trace, {0, 99, 1}, 7, 0).empty());
}

// Loads after stores, and a combine between them where its operands have come.
TEST(Lifeline, IsInTheOrderOfTheProgram) {
    const Trace trace = tests::run_text("__global__ void k(const int* in, int* out) {\n  __shared__ int s[32];\n"
                                        "  int t = threadIdx.x;\n  s[t] = in[t];\n  s[t] += in[31 - t];\n"
                                        "  int v = s[t];\n  s[t] = 0;\n  out[t] = v;\n}\n");
    std::vector<std::string> said;
    for (std::uint32_t step = 0; step < trace.launches.front().steps.size(); ++step) {
        for (const std::string& text : texts_of(scene::lifeline(trace, {0, step, 1}, 0, 3))) {
            said.push_back(text);
        }
    }
    EXPECT_THAT(said,
                ElementsAre("loads in[3]", "stores 3 to s[3]", "loads in[28]", "loads s[3]", "combines 3 and 28 to 31",
                            "stores 31 to s[3]", "loads s[3]", "stores 0 to s[3]", "stores 31 to out[3]"));
}

TEST(Lifeline, NamesTheLaneOfAShuffle) {
    const auto events = scene::lifeline(trace_of({"warp-shuffle", 32, 32}), {0, 1, 1}, 0, 3); // 16 lanes down
    EXPECT_THAT(texts_of(events), ::testing::Contains("takes the value of lane 19 by shuffle"));
}

TEST(Lifeline, OfEveryThreadOfEveryStrategyHasSomething) {
    for (const Case& c : cases()) {
        const Trace& trace = trace_of(c);
        for (const session::Moment& m : moments(trace)) {
            if (m.launch < trace.launches.size() && trace.launches[m.launch].window_count > 0) {
                const Launch& l = trace.launches[m.launch];
                for (const std::uint32_t thread : {0U, l.block - 1}) {
                    EXPECT_FALSE(scene::lifeline(trace, m, l.window_first, thread).empty()) << title(c);
                }
            }
        }
    }
}

TEST(Playback, WaitsAtTheBarrierThatEndsAStep) {
    session::Playback p;
    p.attach({{"load", "s = 1", "store"}}, {{true, true, false}});
    p.go_to_place(0);
    EXPECT_TRUE(p.moment().complete());
    std::vector<SubStep> parts;
    for (int i = 0; i < 7; ++i) {
        p.sub_forward();
        parts.push_back(p.moment().sub_step());
    }
    EXPECT_EQ(p.place(), 2U);
    EXPECT_THAT(parts, ElementsAre(SubStep::combine, SubStep::store, SubStep::barrier, SubStep::store, SubStep::combine,
                                   SubStep::store, SubStep::store));
    for (int i = 0; i < 7; ++i) { // and back the same way
        p.sub_back();
    }
    EXPECT_EQ(p.place(), 0U);
    EXPECT_TRUE(p.moment().complete());
    p.sub_back();
    EXPECT_EQ(p.moment().sub_step(), SubStep::barrier);
    p.forward();
    EXPECT_TRUE(p.moment().complete());
    EXPECT_EQ(p.place(), 0U);
    float before = -1; // playback includes the wait
    bool waited = false;
    p.go_to_place(0, 0);
    p.toggle();
    while (p.place() == 0 && p.advance(0.05)) {
        waited = waited || p.moment().sub_step() == SubStep::barrier;
        EXPECT_GT(static_cast<float>(p.place()) + p.fraction(), before);
        before = static_cast<float>(p.place()) + p.fraction();
    }
    EXPECT_TRUE(waited);
}

TEST(Barriers, WhatThreadsSkipIsCountedOutOfAllOfTheBlock) {
    const Trace trace = tests::run_text("__global__ void half(const int* in, int* out) {\n  __shared__ int s[64];\n"
                                        "  int t = threadIdx.x;\n  if (t < 36) {\n    s[t] = in[t];\n"
                                        "    __syncthreads();\n    out[t] = s[t ^ 1];\n  }\n}",
                                        [](RunOptions& o) { o.n = o.block.emplace(64); });
    const auto lines = scene::barrier_lines(trace.launches[0], 0);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].threads, 36U);
    EXPECT_EQ(lines[0].expected, 64U);
}

} // namespace
} // namespace warptree::tests
