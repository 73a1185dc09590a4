// Taking a lesson: marks, stages, other sizes, and what may be shown.
#include "app/features/lessons/lesson_file.hpp"
#include "app/features/lessons/lesson_run.hpp"
#include "app/features/lessons/lesson_shelf.hpp"
#include "tests/support/lesson_traces.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace warptree::session {
namespace {

using ::testing::HasSubstr;

Lesson shipped(const std::string& id) {
    for (Lesson& lesson : load_lessons()) {
        if (lesson.id == id) {
            return std::move(lesson);
        }
    }
    ADD_FAILURE() << "no lesson " << id;
    return {};
}

void wait_for(LessonRun& run) {
    for (int i = 0; i < 60000 && (run.busy() || !run.ready()); ++i) {
        run.poll();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_TRUE(run.ready());
}

TEST(LessonRun, RemembersWhatBecameOfEachQuestion) {
    const Lesson lesson = shipped("tree");
    LessonRun run(lesson, lesson.n, lesson.block, [] {});
    wait_for(run);
    EXPECT_FALSE(run.asks());
    EXPECT_TRUE(run.next());
    ASSERT_TRUE(run.asks());
    EXPECT_FALSE(run.revealed());
    EXPECT_FALSE(run.answer(64));
    EXPECT_EQ(run.tries(), 1U);
    EXPECT_TRUE(run.answer(63));
    EXPECT_EQ(run.mark(), Mark::later);
    EXPECT_TRUE(run.next());
    EXPECT_TRUE(run.answer(32));
    EXPECT_EQ(run.mark(), Mark::at_once);
    EXPECT_TRUE(run.next());
    run.show();
    EXPECT_EQ(run.mark(), Mark::shown);
    EXPECT_EQ(run.marks_text(), ".lrs...");
    LessonRun again(lesson, lesson.n, lesson.block, [] {});
    again.restore_marks(run.marks_text());
    EXPECT_EQ(again.marks_text(), ".lrs...");
    again.restore_marks("rrrr");
    EXPECT_EQ(again.marks_text(), ".lrs...") << "of another version";
    EXPECT_EQ(again.answered(), 3U);
    EXPECT_FALSE(run.resize(64, 48));
    EXPECT_THAT(run.error(), HasSubstr("power of two"));
    ASSERT_TRUE(run.resize(100, 32));
    for (int i = 0; i < 60000 && run.busy(); ++i) {
        run.poll();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(run.next());
    EXPECT_TRUE(run.next());
    EXPECT_EQ(run.teller().answer(), std::vector<LessonAnswer>{6}) << "1 + log2 of 32 barriers";
    while (run.next()) {
    }
    EXPECT_TRUE(run.at_end());
}

// The steps that views get, "?" for hidden ones.
std::vector<std::string> labels(const Seen& seen) {
    std::vector<std::string> all;
    for (std::uint32_t s = 0; s < seen.trace->launches.back().steps.size(); ++s) {
        all.push_back((s < seen.hidden_from ? "" : "?") + seen.trace->launches.back().steps[s].label);
    }
    return all;
}
using Labels = std::vector<std::string>;

TEST(LessonRun, GivesNothingAwayBeforeItsTime) {
    Lesson lesson = shipped("warps");
    LessonRun run(lesson, 64, 64, [] {});
    wait_for(run);
    run.next();
    EXPECT_EQ(labels(run.seen()), (Labels{"load", "??"})) << "not even how many steps there are";
    run.answer(2);
    EXPECT_EQ(labels(run.seen()), (Labels{"load", "s = 1", "??"})) << "the reveal, not what later questions ask";
    run.next();
    run.next();
    run.next();
    ASSERT_EQ(run.now().kind, QuestionKind::click_step);
    EXPECT_EQ(labels(run.seen()), (Labels{"load", "s = 1", "s = 2", "s = 4", "s = 8", "?s = 16", "?s = 32", "?store"}))
        << "a step can be clicked without being seen";
    EXPECT_FALSE(run.finished());
    for (std::size_t stage = 0; stage < lesson.stages.size(); ++stage) {
        run.go_to(stage);
        run.show();
    }
    EXPECT_TRUE(run.finished());
    run.go_to(0);
    EXPECT_EQ(run.seen().hidden_from, kNone) << "all of it, once every question is answered";
}

// Every stage of every lesson: its views do not contain later steps.
TEST(LessonRun, ShowsNoStepBeyondTheStage) {
    for (const Lesson& lesson : load_lessons()) {
        if (lesson.n > 4096) {
            continue;
        }
        const LessonTraces traces = tests::lesson_traces(lesson, lesson.n, lesson.block);
        for (const LessonStage& stage : lesson.stages) {
            const LessonTeller teller(stage, traces);
            const LessonTeller::Place place = teller.place(false);
            const Seen seen = seen_at(stage, traces, place);
            EXPECT_EQ(seen.trace->launches.size(), place.launch + 1U) << lesson.id << ": " << stage.heading;
            const Launch& l = seen.trace->launches.back();
            for (std::uint32_t s = place.step + 1; s < l.steps.size() && seen.hidden_from != kNone; ++s) {
                EXPECT_EQ(l.steps[s].counters, Counters()) << lesson.id << ": " << stage.heading;
            }
        }
    }
}

TEST(LessonShelf, TakesOnesOwnAndKeepsMarks) {
    const auto directory = std::filesystem::temp_directory_path() / ("warptree_shelf_" + std::to_string(getpid()));
    std::filesystem::create_directories(directory);
    const auto write = [&](const char* name, const std::string& title) {
        std::ofstream(directory / name) << "title: " << title << "\ntrace a: sequential\nstage: S\n";
        return directory / name;
    };
    LessonShelf shelf;
    EXPECT_EQ(shelf.error(), "");
    const std::size_t shipped = shelf.size();
    EXPECT_EQ(shelf.add(write("01-mine.lesson", "One")), shipped);
    EXPECT_EQ(shelf.add(write("banks.lesson", "Two")), shipped + 1);
    EXPECT_EQ(shelf[shipped].id, "mine");
    EXPECT_EQ(shelf[shipped + 1].id, "own-banks") << "another lesson is called that";
    const Lesson& first = shelf[0];
    EXPECT_EQ(shelf.add(write("01-mine.lesson", "Anew")), shipped) << "in its place";
    EXPECT_EQ(shelf[shipped].title, "Anew");
    EXPECT_EQ(shelf.size(), shipped + 2);
    EXPECT_EQ(&first, &shelf[0]);
    EXPECT_EQ(shelf.file(0), "");
    EXPECT_EQ(shelf.file(shipped), (directory / "01-mine.lesson").string());
    EXPECT_THROW(shelf.add(directory / "none.lesson"), FileError);
    std::ofstream(directory / "bad.lesson") << "title: T\nspeed: 3\n";
    EXPECT_THROW(shelf.add(directory / "bad.lesson"), LessonError);
    EXPECT_EQ(shelf.size(), shipped + 2);
    shelf.set_marks("mine", ".rl");
    shelf.set_marks("elsewhere", "s");
    shelf.set_marks("banks", "...");
    EXPECT_EQ(shelf.marks(shipped), ".rl");
    EXPECT_EQ(shelf.marks(0), "");
    EXPECT_EQ(shelf.all_marks(), (std::map<std::string, std::string>{{"elsewhere", "s"}, {"mine", ".rl"}}));
    EXPECT_EQ(LessonShelf::answered(".rl."), 2U);
    EXPECT_EQ(LessonShelf::given(".rl."), 2U);
    EXPECT_EQ(LessonShelf::answered("rsl."), 3U);
    EXPECT_EQ(LessonShelf::given("rsl."), 2U) << "an answer that was shown is none that was given";
    std::filesystem::remove_all(directory);
}

} // namespace
} // namespace warptree::session
