// Taking a lesson: what a stage says and asks with the given traces, and the answers.
#pragma once

#include "app/document/runner.hpp"
#include "app/features/explore/seen.hpp"
#include "app/features/lessons/lesson.hpp"
#include "app/features/lessons/lesson_facts.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warptree::session {

using LessonTraces = std::map<std::string, std::shared_ptr<const Trace>>;

// What was given as an answer: a number, the index of an option, or the warp, thread or step that was clicked.
using LessonAnswer = std::int64_t;

// A stage with the numbers from its traces filled in. Everything throws OptionError if a number does not exist.
class LessonTeller {
  public:
    // Refers to both; every trace of the lesson must be there.
    LessonTeller(const LessonStage& stage, const LessonTraces& traces);
    struct Place {
        std::string trace;
        std::uint32_t launch = 0, step = 0;
    };
    Place place(bool revealed) const;
    bool takes_part() const;
    std::vector<std::string> paragraphs() const;
    std::optional<std::uint32_t> warp() const; // shown in the banks
    std::optional<unsigned> loads() const;     // 1 … 1024; nothing: the stage has no such figure
    std::string ask() const;
    std::string hint() const; // empty: none
    std::vector<std::string> options() const;
    std::vector<std::string> why() const;
    // Every right answer, at least one; of numbers and options exactly one.
    std::vector<LessonAnswer> answer() const;
    std::string answer_text() const; // "4", "warps 1 and 3"
    bool right(LessonAnswer given) const;
    // For a question that asks to write a kernel: whether this run of one is the answer (then the answer is 1).
    bool is_written(const Trace& trace) const;

  private:
    LessonFacts facts(const LessonPlace& place) const;
    const LessonStage& stage_;
    std::map<std::string, const Trace*> traces_;
    LessonFacts facts_; // at the shown place
};

// The trace of a place as far as a stage may show it: if a step is to be clicked, later ones keep their labels.
Seen seen_at(const LessonStage& stage, const LessonTraces& traces, const LessonTeller::Place& place);

// The outcome of a question. Marks are remembered as letters: '.', 'r', 'l', 's'.
enum class Mark : std::uint8_t { open, at_once, later, shown };
char letter(Mark mark);

// One lesson being taken.
class LessonRun {
  public:
    // `lesson` must outlive it. `wake` is called from another thread when a trace has come.
    LessonRun(const Lesson& lesson, std::uint64_t n, std::uint32_t block, std::function<void()> wake);

    const Lesson& lesson() const { return lesson_; }
    std::uint64_t n() const { return n_; }
    std::uint32_t block() const { return block_; }
    // Other sizes, from where it stands; answers that were open stay open. False, with error(), when they do not do.
    bool resize(std::uint64_t n, std::uint32_t block);
    bool poll(); // takes traces that have come; true when there was one
    bool ready() const { return traces_.size() == lesson_.traces.size(); }
    bool busy() const { return waiting_ > 0; }
    const std::string& error() const { return error_; }

    std::size_t stage() const { return stage_; }
    void go_to(std::size_t stage); // the nearest that takes part
    bool next();                   // false at the last
    bool previous();               // false at the first
    bool at_end() const;           // no later stage takes part
    bool takes_part(std::size_t stage) const;
    bool finished() const; // no question that takes part is open
    const LessonStage& now() const { return lesson_.stages[stage_]; }
    LessonTeller teller() const { return {now(), traces_}; } // only when ready
    const LessonTraces& traces() const { return traces_; }
    // What the views of this stage may show: no more than `show`, and once answered `reveal`, so that no question to
    // come is given away; everything when none is open. Throws OptionError without such a place.
    Seen seen() const;

    // Of the question of this stage.
    bool asks() const { return now().kind != QuestionKind::none; }
    Mark mark() const { return marks_[stage_]; }
    bool revealed() const { return !asks() || marks_[stage_] != Mark::open; }
    unsigned tries() const { return tries_[stage_]; }
    std::optional<LessonAnswer> last() const { return last_[stage_]; } // given, right or wrong
    bool answer(LessonAnswer given);                                   // true: right
    void show();                                                       // shows the answer

    const std::vector<Mark>& marks() const { return marks_; } // by stage
    std::string marks_text() const;
    void restore_marks(const std::string& text); // what cannot be used is left out
    void begin_again();
    std::size_t answered() const;

  private:
    void request();

    const Lesson& lesson_;
    std::uint64_t n_;
    std::uint32_t block_;
    std::vector<std::unique_ptr<Runner>> runners_; // one a trace
    std::size_t waiting_ = 0;
    LessonTraces traces_, coming_;
    std::string error_;
    std::size_t stage_ = 0;
    std::vector<Mark> marks_;
    std::vector<unsigned> tries_;
    std::vector<std::optional<LessonAnswer>> last_;
};

} // namespace warptree::session
