// Clock readings of a kernel's warps, split by step; and invalid files.
#include "app/catalogue/strategy.hpp"
#include "app/measure/clocks/clocks.hpp"
#include "app/measure/clocks/step_marks.hpp"
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

constexpr std::uint32_t kTree = 31, kStore = 40; // lines

// A launch of one block whose warps reach marks and barriers in the given steps.
class Met {
  public:
    explicit Met(std::vector<const char*> labels, std::uint32_t warps) {
        launch_.block = 32 * warps;
        launch_.window_count = 1;
        for (const char* label : labels) {
            launch_.steps.emplace_back();
            launch_.steps.back().label = label;
        }
    }
    Met& mark(std::uint16_t warp, std::uint32_t line, std::uint16_t step) {
        WarpBarrier mark;
        mark.warp = warp;
        mark.step = step;
        mark.line = SourceLine::of(0, line);
        launch_.warp_barriers.push_back(mark);
        Request request;
        request.warp = warp;
        request.step = step;
        request.line = mark.line;
        launch_.requests.push_back(request);
        return *this;
    }
    Met& barrier(std::uint16_t step, const std::vector<std::uint16_t>& warps) {
        Barrier barrier;
        barrier.step = step;
        for (const std::uint16_t warp : warps) {
            launch_.arrivals.push_back({static_cast<std::uint32_t>(launch_.barriers.size()), warp, ~0U});
        }
        launch_.barriers.push_back(barrier);
        return *this;
    }
    const Launch& launch() const { return launch_; }

  private:
    Launch launch_;
};
Mark at(std::uint64_t cycle, std::uint32_t line) { return {cycle, line, MarkKind::line}; }
Mark reached(std::uint64_t cycle) { return {cycle, 0, MarkKind::barrier_reached}; }
Mark left(std::uint64_t cycle) { return {cycle, 0, MarkKind::barrier_left}; }

// Two warps: load to 10, s = 2 from 10 (a barrier from 14 to 19), then s = 1, store at 26, end at 30; the second 100
// cycles later, with nothing to do after the barrier.
struct Readings {
    std::vector<WarpClock> warps{{0, 30, 1000, 1200, 3, 6}, {100, 130, 1064, 1250, 3, 4}};
    std::vector<Mark> marks = std::vector<Mark>(2 * 8);
    Met met{{"load", "s = 2", "s = 1", "store"}, 2};
    Readings() {
        const std::vector<Mark> first{at(3, 20), at(10, kTree), reached(14), left(19), at(20, kTree), at(26, kStore)};
        const std::vector<Mark> second{at(102, 20), at(110, kTree), reached(120), left(121)};
        std::copy(first.begin(), first.end(), marks.begin());
        std::copy(second.begin(), second.end(), marks.begin() + 8);
        met.mark(0, 20, 0).mark(0, kTree, 1).mark(0, kTree, 2).mark(0, kStore, 3).mark(1, 20, 0).mark(1, kTree, 1);
        met.barrier(1, {0, 1});
    }
};

TEST(Clocks, AreTakenApartByStep) {
    const Readings r;
    const auto steps = clocks::step_cycles(r.warps, 2, r.marks, 8, r.met.launch());
    ASSERT_EQ(steps.size(), 4U);
    EXPECT_EQ(steps[0], (clocks::StepCycles{"load", 2, 10, 10, 10, 0}));
    EXPECT_EQ(steps[1], (clocks::StepCycles{"s = 2", 2, 9, 20, 20, 5}));
    EXPECT_EQ(steps[2], (clocks::StepCycles{"s = 1", 1, 7, 7, 7, 0}));
    EXPECT_EQ(steps[3], (clocks::StepCycles{"store", 1, 4, 4, 4, 0}));
    EXPECT_EQ(clocks::StepMarks(r.met.launch()).beginnings(),
              (std::vector<std::uint32_t>{SourceLine::of(0, kTree).packed, SourceLine::of(0, kStore).packed}));
}

// After the load, warp 0 alone scans the totals (C); after another barrier warp 1 alone adds them (D).
TEST(Clocks, AWarpWithNothingToDoIsInTheStepThatTheBarrierEnds) {
    const std::vector<WarpClock> warps{{0, 40, 0, 0, 0, 5}, {0, 40, 0, 0, 0, 5}};
    std::vector<Mark> marks{reached(2), left(4), at(5, kTree), reached(10), left(11)};
    const std::vector<Mark> second{reached(3), left(4), reached(9), left(11), at(12, kStore)};
    marks.insert(marks.end(), second.begin(), second.end());
    Met met({"load", "C", "D"}, 2);
    met.mark(0, kTree, 1).mark(1, kStore, 2).barrier(0, {0, 1}).barrier(1, {0, 1});
    const auto steps = clocks::step_cycles(warps, 2, marks, 5, met.launch());
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_EQ(steps[0], (clocks::StepCycles{"load", 2, 4, 4, 4, 2}));
    EXPECT_EQ(steps[1], (clocks::StepCycles{"C", 2, 7, 36, 36, 2}));
    EXPECT_EQ(steps[2], (clocks::StepCycles{"D", 1, 29, 29, 29, 0}));
}

// Marks reached more often than in the interpreter belong to the step of the last mark that it reached.
TEST(Clocks, AnotherTurnOfAWaitIsNoOtherStep) {
    const std::vector<WarpClock> warps{{0, 50, 0, 0, 0, 4}};
    const std::vector<Mark> marks{at(10, kTree), at(20, kTree), at(30, kTree), at(40, kStore)};
    Met met({"load", "look back", "store"}, 1);
    met.mark(0, kTree, 1).mark(0, kStore, 2);
    const auto steps = clocks::step_cycles(warps, 1, marks, 4, met.launch());
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_EQ(steps[0], (clocks::StepCycles{"look back", 1, 40, 40, 40, 0}));
    EXPECT_EQ(steps[1], (clocks::StepCycles{"store", 1, 10, 10, 10, 0}));
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
    it.steps = clocks::step_cycles(r.warps, 2, r.marks, 8, r.met.launch());
    it.blocks = clocks::block_runs(r.warps, 2);
    return it;
}

TEST(Clocks, ComeBackFromTheirFile) {
    const clocks::Recording r = readings();
    const RecordingFile file(clocks::to_json(r));
    EXPECT_EQ(clocks::load(file.path()), r);
    EXPECT_DOUBLE_EQ(r.overhead(), 0.25);
    EXPECT_THAT(clocks::to_text(r), testing::HasSubstr("+25.0 %"));
    EXPECT_EQ(clocks::find_step(r, "s = 1")->median, 7);
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
    EXPECT_THAT(refused(json), HasSubstr("have different lengths"));
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
        // The steps do not depend on n once every block is full, except for look-back, whose tiles grow with n.
        const Trace trace =
            runs::run_any(counters::options_of(r.strategy, info.answer == Answer::scan ? r.n : 4096, r.block, r.type));
        // How often a tile looks back depends on when the blocks run.
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
