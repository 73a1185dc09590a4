// Clock readings of the warps of a kernel, taken apart by step; and bad files.
#include "app/catalogue/strategy.hpp"
#include "app/measure/clocks/clocks.hpp"
#include "app/measure/counters/counters.hpp"
#include "app/run/run.hpp"
#include "tests/model/recording_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warptree {
namespace {

using namespace tests;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

using clocks::Mark;
using clocks::MarkKind;
using clocks::WarpClock;

// Two warps: load to 10, s = 2 from 10 (a barrier from 14 to 19), s = 1 from 20, store at 26, end at 30; the second
// one 100 cycles later, twice as slow in s = 2, and without the rest.
struct Readings {
    std::vector<WarpClock> warps{{0, 30, 1000, 1200, 3, 5}, {100, 130, 1064, 1250, 3, 3}};
    std::vector<Mark> marks = std::vector<Mark>(2 * 8);
    Readings() {
        const std::vector<Mark> first{{10, MarkKind::stage, Phase::none, 2},
                                      {14, MarkKind::barrier_reached, Phase::none, 0},
                                      {19, MarkKind::barrier_left, Phase::none, 0},
                                      {20, MarkKind::stage, Phase::none, 1},
                                      {26, MarkKind::store, Phase::none, 0}};
        const std::vector<Mark> second{{110, MarkKind::stage, Phase::none, 2},
                                       {120, MarkKind::barrier_reached, Phase::none, 0},
                                       {121, MarkKind::barrier_left, Phase::none, 0}};
        std::copy(first.begin(), first.end(), marks.begin());
        std::copy(second.begin(), second.end(), marks.begin() + 8);
    }
};

TEST(Clocks, AreTakenApartByStep) {
    const Readings r;
    const auto steps = clocks::step_cycles(r.warps, 2, r.marks, 8);
    ASSERT_EQ(steps.size(), 4U);
    EXPECT_EQ(steps[0], (clocks::StepCycles{"load", 2, 10, 10, 10, 0}));
    EXPECT_EQ(steps[1], (clocks::StepCycles{"s = 2", 2, 10, 20, 20, 5}));
    EXPECT_EQ(steps[2], (clocks::StepCycles{"s = 1", 1, 6, 6, 6, 0}));
    EXPECT_EQ(steps[3], (clocks::StepCycles{"store", 1, 4, 4, 4, 0}));
}

TEST(Clocks, AStrideMetAgainIsAStepOfItsOwn) {
    const std::vector<WarpClock> warps{{0, 9, 0, 0, 0, 3}};
    const std::vector<Mark> marks{{2, MarkKind::stage, Phase::none, 1},
                                  {4, MarkKind::stage, Phase::none, 1},
                                  {7, MarkKind::store, Phase::none, 0}};
    std::vector<std::string> labels;
    for (const auto& s : clocks::step_cycles(warps, 1, marks, 3)) {
        labels.push_back(s.label);
    }
    EXPECT_EQ(labels, (std::vector<std::string>{"load", "s = 1", "s = 1 (2)", "store"}));
}

// After the load, warp 0 alone scans the totals (C); after another barrier warp 1 alone adds them (D).
TEST(Clocks, ABarrierOrdersTheStepsOfDifferentWarps) {
    const std::vector<WarpClock> warps{{0, 40, 0, 0, 0, 6}, {0, 40, 0, 0, 0, 6}};
    const auto barrier = [](std::uint64_t cycle) {
        return std::vector<Mark>{{cycle, MarkKind::barrier_reached, Phase::none, 0},
                                 {cycle + 1, MarkKind::barrier_left, Phase::none, 0}};
    };
    std::vector<Mark> marks;
    const auto add = [&](const std::vector<Mark>& more) { marks.insert(marks.end(), more.begin(), more.end()); };
    add(barrier(2));
    add({{4, MarkKind::stage, Phase::totals, 1}});
    add(barrier(10));
    add({{20, MarkKind::store, Phase::none, 0}});
    add(barrier(3));
    add(barrier(9));
    add({{12, MarkKind::stage, Phase::add_totals, 32}, {30, MarkKind::store, Phase::none, 0}});
    const auto steps = clocks::step_cycles(warps, 2, marks, 6);
    ASSERT_EQ(steps.size(), 4U);
    EXPECT_EQ(steps[0], (clocks::StepCycles{"load", 2, 4, 12, 12, 2}));
    EXPECT_EQ(steps[1], (clocks::StepCycles{"C: s = 1", 1, 16, 16, 16, 1}));
    EXPECT_EQ(steps[2], (clocks::StepCycles{"D: add back", 1, 18, 18, 18, 0}));
    EXPECT_EQ(steps[3], (clocks::StepCycles{"store", 2, 10, 20, 20, 0}));
}

TEST(Clocks, NameTheStepsThatTheTraceHas) {
    for (const char* id : {"sequential", "block-shuffle", "interleaved-strided", "scan-double-buffer", "scan-warp",
                           "scan-blelloch", "scan-coarsened"}) {
        const Trace trace = runs::run_any(counters::options_of(id, 1000, 128, ElementType::i32));
        WarpClock warp{};
        std::vector<Mark> marks;
        for (const Step& step : trace.launches[0].steps) {
            if (step.kind != StepKind::load) {
                marks.push_back({++warp.last_cycle, step.kind == StepKind::stage ? MarkKind::stage : MarkKind::store,
                                 step.phase, step.stride});
            }
        }
        warp.marks = static_cast<std::uint32_t>(marks.size());
        const auto steps = clocks::step_cycles({&warp, 1}, 1, marks, warp.marks);
        ASSERT_EQ(steps.size(), trace.launches[0].steps.size()) << id;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            EXPECT_EQ(steps[i].label, trace.launches[0].steps[i].label) << id;
        }
    }
}

TEST(Clocks, BlocksBeginWithTheirFirstWarpAndEndWithTheirLast) {
    const Readings r;
    const auto blocks = clocks::block_runs(r.warps, 2);
    ASSERT_EQ(blocks.size(), 1U);
    EXPECT_EQ(blocks[0], (clocks::BlockRun{3, 0, 250}));
    EXPECT_EQ(clocks::timer_step(r.warps), 50U);
    const clocks::Occupation o =
        clocks::occupation(std::vector<clocks::BlockRun>{{0, 0, 10}, {0, 5, 20}, {0, 10, 15}, {4, 0, 30}});
    EXPECT_EQ(o.most_blocks, 2U) << "one ends as another begins";
    EXPECT_EQ(o.multiprocessors, 2U);
    EXPECT_EQ(o.end_ns, 30U);
}

clocks::Recording readings() {
    const Readings r;
    clocks::Recording it{"NVIDIA H200",    "9.0", "13.0", "13.0", "abc", "2026-01-01", "sequential", 64, 64,
                         ElementType::i32, 132,   32,     4,      5,     30,           {},           {}};
    it.steps = clocks::step_cycles(r.warps, 2, r.marks, 8);
    it.blocks = clocks::block_runs(r.warps, 2);
    return it;
}

TEST(Clocks, ComeBackFromTheirFile) {
    const clocks::Recording r = readings();
    const RecordingFile file(clocks::to_json(r));
    EXPECT_EQ(clocks::load(file.path()), r);
    EXPECT_DOUBLE_EQ(r.overhead(), 0.25);
    EXPECT_THAT(clocks::to_text(r), testing::HasSubstr("+25.0 %"));
    EXPECT_EQ(clocks::find_step(r, "s = 1")->median, 6);
    EXPECT_EQ(clocks::find_step(r, "s = 64"), nullptr);
}

TEST(Clocks, RefuseWhatIsNoRecording) {
    using testing::HasSubstr;
    const Json good = Json::parse(clocks::to_json(readings()));
    const auto refused = [](const Json& json) { return refusal_of(json.dump(), clocks::load); };
    EXPECT_THAT(refusal_of("", clocks::load), HasSubstr("not JSON"));
    Json json = good;
    json["format"] = "x";
    EXPECT_THAT(refused(json), HasSubstr("does not hold clock readings"));
    json = good;
    json["version"] = 9;
    EXPECT_THAT(refused(json), HasSubstr("newer"));
    json = good;
    json["blocks"]["end_ns"].push_back(1);
    EXPECT_THAT(refused(json), HasSubstr("do not go together"));
    json = good;
    json["blocks"]["multiprocessor"][0] = 132;
    EXPECT_THAT(refused(json), HasSubstr("not a count up to 131"));
    json = good;
    json["blocks"]["begin_ns"][0] = 251;
    EXPECT_THAT(refused(json), HasSubstr("ends before it begins"));
    json = good;
    json["steps"][0]["median"] = -1;
    EXPECT_THAT(refused(json), HasSubstr("\"median\" is not a number"));
    json = good;
    json.erase("device");
    EXPECT_THAT(refused(json), HasSubstr("\"device\" is missing"));
}

TEST(ClocksRecorded, AreWhole) {
    const auto recordings = files(tests::source_dir() / "assets/clocks", ".json");
    if (recordings.empty()) {
        GTEST_SKIP() << "nothing recorded in assets/clocks; script/hardware records it on a GPU";
    }
    for (const fs::path& file : recordings) {
        const clocks::Recording r = clocks::load(file);
        const StrategyInfo& info = require_strategy(r.strategy);
        EXPECT_EQ(r.blocks.size(), grid_for(info, {r.n, r.block, r.type, {}})) << file;
        // The steps do not depend on n, once every block is full; but for the look-back, whose tiles grow with n.
        const Trace trace =
            runs::run_any(counters::options_of(r.strategy, info.answer == Answer::scan ? r.n : 4096, r.block, r.type));
        // How often a tile looks back is decided by when the blocks run.
        const auto looks_again = [](const auto& step) {
            return step.label.starts_with("look back ") && step.label != "look back 1";
        };
        std::vector<std::string> labels, expected;
        for (const clocks::StepCycles& step : r.steps) {
            if (!looks_again(step)) {
                labels.push_back(step.label);
            }
        }
        for (const Step& step : trace.launches[0].steps) {
            if (!looks_again(step)) {
                expected.push_back(step.label);
            }
        }
        EXPECT_EQ(labels, expected) << file;
        for (std::size_t i = 0; i < r.steps.size(); ++i) {
            EXPECT_LE(r.steps[i].least, r.steps[i].median) << file;
            EXPECT_LE(r.steps[i].median, r.steps[i].most) << file;
        }
    }
}

} // namespace
} // namespace warptree
