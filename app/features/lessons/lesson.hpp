// A lesson: what it shows, says and asks. Read from a file by lesson_file.hpp; docs/lessons.md has the format.
#pragma once

#include "app/features/explore/explore_state.hpp"
#include "app/features/lessons/lesson_text.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warptree::session {

// A named run of a strategy. n and block are the lesson's unless `options` fix them.
struct LessonTrace {
    std::string name;
    RunOptions options;
    bool own_n = false, own_block = false;
};

struct LessonPlace {
    std::string trace;       // shown
    LessonExpression at;     // step; empty: 0
    LessonExpression launch; // empty: 0
    int line = 0;
};

// Text that is shown if its condition holds.
struct LessonParagraph {
    LessonExpression when; // empty: always
    LessonText text;
    int line = 0;
};

enum class QuestionKind : std::uint8_t { none, number, choice, click_warp, click_thread, click_step, write };

struct LessonOption {
    LessonExpression right; // holds for exactly one option of a question
    LessonText text;
};

struct LessonStage {
    std::string heading;
    int line = 0;
    LessonPlace show;
    std::optional<LessonPlace> reveal; // shown once the question is answered
    LessonExpression when;             // the stage takes part when it holds; empty: always
    std::string view = "tree";         // the front one if there is room for only one: tree, warps or banks
    LessonExpression warp;             // shown in the banks; empty: whichever has most to show
    // Elements that a thread loads: once answered, a figure compares a warp's first load in a grid-stride loop with one
    // where each thread loads so many consecutive elements. Empty: no figure.
    LessonExpression loads;
    std::vector<LessonParagraph> text;

    QuestionKind kind = QuestionKind::none;
    int question_line = 0;
    LessonText ask, hint;
    std::string written_from; // write: id of the strategy whose text the user changes
    // number: the value; write: whether the written kernel's run is right; click: whether the clicked `warp`, `thread`
    // or `step` is right.
    LessonExpression answer;
    std::vector<LessonOption> options;
    std::vector<LessonParagraph> why;
};

struct Lesson {
    std::string id; // the file's name
    std::string title, about;
    std::vector<std::string> read; // paragraphs: where to continue after the lesson
    std::uint64_t n = 64;
    std::uint32_t block = 64;
    std::uint64_t most_n = 1U << 16;
    std::vector<LessonTrace> traces;
    struct Need {
        LessonExpression condition; // over n and block of the first trace's options alone, before anything runs
        std::string otherwise;      // the requirement in words
    };
    std::vector<Need> needs;
    std::vector<LessonStage> stages;

    std::size_t questions() const;
};

// Options of a trace at n and block. Not checked.
RunOptions options_at(const LessonTrace& trace, std::uint64_t n, std::uint32_t block);
// Why the lesson cannot be taken at n and block, as one line; nullopt when it can.
std::optional<std::string> refusal(const Lesson& lesson, std::uint64_t n, std::uint32_t block);

} // namespace warptree::session
