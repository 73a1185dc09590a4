// Lesson files: what is accepted, what is refused with which message, and what is filled in.
#include "app/features/lessons/lesson_check.hpp"
#include "app/features/lessons/lesson_run.hpp"
#include "app/features/lessons/load_figure.hpp"
#include "tests/support/lesson_traces.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree::session {
namespace {

using ::testing::HasSubstr;

constexpr const char* kHead = "title: T\nn: 64\nblock: 64\ntrace a: sequential\n";

std::string why_no_lesson(const std::string& text) {
    try {
        parse_lesson(text, "t", "t.lesson");
    } catch (const LessonError& refused) {
        return refused.what();
    }
    ADD_FAILURE() << "taken: " << text;
    return {};
}

TEST(LessonFile, SaysFileLineAndReason) {
    const std::string head = kHead;
    EXPECT_THAT(why_no_lesson(""), HasSubstr("t.lesson:1: a lesson has a title"));
    EXPECT_THAT(why_no_lesson("title: T\nspeed: 3\n"), HasSubstr("t.lesson:2: 'speed' is not a keyword"));
    EXPECT_THAT(why_no_lesson("title: T\nn: many\n"), HasSubstr("t.lesson:2: n 'many'"));
    EXPECT_THAT(why_no_lesson("title: T\n\n# a comment\ntrace a: sequental\n"), HasSubstr("t.lesson:4: no strategy"));
    EXPECT_THAT(why_no_lesson("title: T\ntrace a: sequential?block=48\n"), HasSubstr("t.lesson:2: "));
    EXPECT_THAT(why_no_lesson("title: T\nstage: S\n"), HasSubstr("t.lesson:2: a lesson names its traces"));
    EXPECT_THAT(why_no_lesson(head + "trace a: first-add\n"),
                HasSubstr("t.lesson:5: each trace needs a name of its own"));
    EXPECT_THAT(why_no_lesson(head), HasSubstr("at least one stage"));
    EXPECT_THAT(why_no_lesson("title: T\nreveal: at store\n"), HasSubstr("t.lesson:2: 'reveal' belongs to a stage"));
    EXPECT_THAT(why_no_lesson(head + "show: at store\n"), HasSubstr("t.lesson:5: 'show' belongs to a stage"));
    EXPECT_THAT(why_no_lesson(head + "stage:\n"), HasSubstr("t.lesson:5: a stage has a heading"));
    EXPECT_THAT(why_no_lesson(head + "stage: S\nshow: b\n"), HasSubstr("t.lesson:6: there is no trace 'b'"));
    EXPECT_THAT(why_no_lesson(head + "stage: S\nshow: a at stag(2)\n"),
                HasSubstr("t.lesson:6: expected a number, a fact"));
    EXPECT_THAT(why_no_lesson(head + "stage: S\nshow: a at stage()\n"), HasSubstr("t.lesson:6: "));
    EXPECT_THAT(why_no_lesson(head + "stage: S\nview: cube\n"), HasSubstr("t.lesson:6: there is no view 'cube'"));
    EXPECT_THAT(why_no_lesson(head + "stage: S\nnumber: 3\n"), HasSubstr("t.lesson:6: 'number' belongs to a question"));
    EXPECT_THAT(why_no_lesson(head + "stage: S\nask: Q\n"), HasSubstr("t.lesson:6: the question has no answer"));
    EXPECT_THAT(why_no_lesson(head + "stage: S\nask: Q\nnumber: 3\n"),
                HasSubstr("t.lesson:6: the question does not say why"));
    EXPECT_THAT(why_no_lesson(head + "stage: S\nask: Q\noption(1): x\nwhy: w\n"), HasSubstr("two options"));
    EXPECT_THAT(why_no_lesson(head + "stage: S\nask: Q\noption: x\n"), HasSubstr("t.lesson:7: an option says when"));
    EXPECT_THAT(why_no_lesson(head + "stage: S\nask: Q\nnumber: 3\nclick warp: 1\n"),
                HasSubstr("t.lesson:8: a question has one"));
    EXPECT_THAT(why_no_lesson(head + "stage: S\nask: Q\nnumber: 3\nask: R\n"),
                HasSubstr("t.lesson:8: a stage has one"));
    EXPECT_THAT(why_no_lesson(head + "stage: S\n\nA {n\n"), HasSubstr("t.lesson:7: '{n' has no closing brace"));
    EXPECT_THAT(why_no_lesson(head + "stage: S\n\nA {n|b}\n"), HasSubstr("two texts"));
    EXPECT_THAT(why_no_lesson(head + "stage: S\n\nA {b.n}\n"), HasSubstr("the name of a trace"));
    EXPECT_THAT(why_no_lesson("title: T\nn: 1\nblock: 48\ntrace a: sequential\nstage: S\n"), HasSubstr("power of two"));
    EXPECT_THAT(why_no_lesson("title: T\nneeds: block > 64\n"), HasSubstr("t.lesson:2: 'needs' takes"));
    EXPECT_THAT(why_no_lesson("title: T\nblock: 64\nneeds: block > 64 | more\ntrace a: sequential\nstage: S\n"),
                HasSubstr("more"));
    for (int depth : {100, 100000}) {
        EXPECT_THAT(why_no_lesson(head + "stage: S\nwhen: " + std::string(static_cast<std::size_t>(depth), '(') + "\n"),
                    HasSubstr("t.lesson:6: "));
    }
}

TEST(LessonFile, IsCheckedToItsEnd) {
    const auto why = [](const std::string& body) -> std::string {
        const Lesson lesson = parse_lesson(kHead + body, "t", "t.lesson");
        try {
            check_lesson(lesson, "t.lesson", lesson.n, lesson.block);
        } catch (const LessonError& refused) {
            return refused.what();
        }
        return {};
    };
    EXPECT_EQ(why("stage: S\nask: Q\nnumber: n / 2\nwhy: {n / 2}\n"), "");
    EXPECT_THAT(why("stage: S\nask: Q\nnumber: 1 / (n - 64)\nwhy: w\n"),
                HasSubstr("t.lesson:6: no answer: a division"));
    EXPECT_THAT(why("stage: S\nshow: a at stage(3)\n"), HasSubstr("t.lesson:6: no answer: no stage has stride 3"));
    EXPECT_THAT(why("stage: S\nshow: a at 99\n"), HasSubstr("there is no step 99"));
    EXPECT_THAT(why("stage: S\nask: Q\noption(1): x\noption(1): y\nwhy: w\n"), HasSubstr("2 of 2 options are right"));
    EXPECT_THAT(why("stage: S\nask: Q\nclick warp: warp == 9\nwhy: w\n"), HasSubstr("no warp is right"));
    EXPECT_THAT(why("stage: S\nask: Q\nnumber: 9223372036854775807 + 1\nwhy: w\n"), HasSubstr("beyond 64 bits"));
    EXPECT_THAT(why("stage: S\nask: Q\nnumber: count(i, 0, 100000000, 1)\nwhy: w\n"), HasSubstr("too many"));
    EXPECT_THAT(why("stage: S\nask: Q\nnumber: 1\nwhy(0): w\n"), HasSubstr("no 'why' holds"));
    EXPECT_EQ(why("stage: S\nwhen: 0\nask: Q\nnumber: 1 / 0\nwhy: w\n"), "") << "a stage that takes no part";
}

TEST(LessonFile, SaysWhereToGoOnAndWhatThreadsLoad) {
    const Lesson lesson =
        parse_lesson("read: a book\nread: another\n" + std::string(kHead) + "stage: S\nloads: block / 16\n\nstage: T\n",
                     "t", "t.lesson");
    EXPECT_EQ(lesson.read, (std::vector<std::string>{"a book", "another"}));
    const LessonTraces traces = tests::lesson_traces(lesson, 64, 64);
    EXPECT_EQ(LessonTeller(lesson.stages[0], traces).loads(), 4U);
    EXPECT_EQ(LessonTeller(lesson.stages[1], traces).loads(), std::nullopt);
    for (const Lesson& shipped : load_lessons()) {
        EXPECT_FALSE(shipped.read.empty()) << shipped.id;
    }
}

// A warp's 32 elements of 4 bytes: 4 adjacent sectors, or one per lane if each lane has 8 or more consecutive elements.
TEST(LoadFigure, CountsTheSectorsOfBothWays) {
    const tests::EvenMeasure measure;
    const auto verdicts = [&](unsigned count, unsigned bytes) {
        std::vector<std::string> all;
        const scene::Drawing d =
            scene::draw_load_figure(scene::theme(scene::ThemeName::dark), measure, 1, {0, 0, 900, 400}, count, bytes);
        for (const scene::Text& text : tests::texts(d)) {
            if (text.text.ends_with(" sectors")) {
                all.push_back(text.text);
            }
        }
        return all;
    };
    EXPECT_EQ(verdicts(1, 4), (std::vector<std::string>{"4 sectors", "4 sectors"}));
    EXPECT_EQ(verdicts(2, 4), (std::vector<std::string>{"4 sectors", "8 sectors"}));
    EXPECT_EQ(verdicts(8, 4), (std::vector<std::string>{"4 sectors", "32 sectors"}));
    EXPECT_EQ(verdicts(1024, 8), (std::vector<std::string>{"8 sectors", "32 sectors"}));
}

TEST(LessonFile, FillsTextByTheTrace) {
    const Lesson lesson =
        parse_lesson(std::string(kHead) + "stage: S\n\nA {block * 64} {warps|warp|warps} {warps - 1|warp|warps} "
                                          "{{ {if pass || 0|good|bad} {0 - 1}\n  and more\ntext(0): not "
                                          "this\ntext(warps == 2): note: that\n",
                     "t", "t.lesson");
    const LessonTraces traces = tests::lesson_traces(lesson, 64, 64);
    EXPECT_EQ(LessonTeller(lesson.stages[0], traces).paragraphs(),
              (std::vector<std::string>{"A 4,096 2 warps 1 warp { good −1 and more", "note: that"}));
}

} // namespace
} // namespace warptree::session
