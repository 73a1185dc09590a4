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

// An answer given: a number, the index of an option, or the warp, thread or step that was clicked.
using LessonAnswer = std::int64_t;

// A stage with the numbers from its traces filled in. Every function throws OptionError if a number has no value.
class LessonTeller {
  public:
    // Keeps references to both; every trace of the lesson must be there.
    LessonTeller(const LessonStage& stage, const LessonTraces& traces);
    struct Place {
        std::string trace;
        std::uint32_t launch = 0, step = 0;
    };
    Place place(bool revealed) const;
    bool takes_part() const;
    std::vector<std::string> paragraphs() const;
    std::optional<std::uint32_t> warp() const; // shown in the banks
    std::optional<unsigned> loads() const;     // 1 … 1024; nullopt: the stage has no such figure
    std::string ask() const;
    std::string hint() const; // empty: none
    std::vector<std::string> options() const;
    std::vector<std::string> why() const;
    // All right answers, at least one; for numbers and options exactly one.
    std::vector<LessonAnswer> answer() const;
    std::string answer_text() const; // "4", "warps 1 and 3"
    bool right(LessonAnswer given) const;
    // For a question that asks for a kernel: whether this run of the written one is right (the answer is then 1).
    bool is_written(const Trace& trace) const;

  private:
    LessonFacts facts(const LessonPlace& place) const;
    const LessonStage& stage_;
    std::map<std::string, const Trace*> traces_;
    LessonFacts facts_; // at the shown place
};

// The trace of a place as far as a stage may show it: if the answer is a click, later steps keep their labels.
Seen seen_at(const LessonStage& stage, const LessonTraces& traces, const LessonTeller::Place& place);

// The outcome of a question. Marks are remembered as letters: '.', 'r', 'l', 's'.
enum class Mark : std::uint8_t { open, at_once, later, shown };
char letter(Mark mark);

// One lesson being taken.
class LessonRun {
  public:
    // `lesson` must outlive it. `wake` is called from another thread when a trace is ready.
    LessonRun(const Lesson& lesson, std::uint64_t n, std::uint32_t block, std::function<void()> wake);

    const Lesson& lesson() const { return lesson_; }
    std::uint64_t n() const { return n_; }
    std::uint32_t block() const { return block_; }
    // Changes the sizes, at the same stage; open questions stay open. False, with error(), if the sizes do not work.
    bool resize(std::uint64_t n, std::uint32_t block);
    bool poll(); // takes finished traces; true when there was one
    bool ready() const { return traces_.size() == lesson_.traces.size(); }
    bool busy() const { return waiting_ > 0; }
    const std::string& error() const { return error_; }

    std::size_t stage() const { return stage_; }
    void go_to(std::size_t stage); // or, if it does not take part, the next that does, else the previous
    bool next();                   // false at the last
    bool previous();               // false at the first
    bool at_end() const;           // no later stage takes part
    bool takes_part(std::size_t stage) const;
    bool finished() const; // no question that takes part is open
    const LessonStage& now() const { return lesson_.stages[stage_]; }
    LessonTeller teller() const { return {now(), traces_}; } // only when ready
    const LessonTraces& traces() const { return traces_; }
    // What the views of this stage may show: up to `show`, once answered up to `reveal`, so that no later answer is
    // given away; everything when no question is open. Throws OptionError if there is no such place.
    Seen seen() const;

    // About the question of this stage.
    bool asks() const { return now().kind != QuestionKind::none; }
    Mark mark() const { return marks_[stage_]; }
    bool revealed() const { return !asks() || marks_[stage_] != Mark::open; }
    unsigned tries() const { return tries_[stage_]; }
    unsigned tries_of(std::size_t stage) const { return tries_[stage]; }
    std::optional<LessonAnswer> last_of(std::size_t stage) const { return last_[stage]; }
    std::optional<LessonAnswer> last() const { return last_[stage_]; } // answer given, right or wrong
    bool answer(LessonAnswer given);                                   // true: right
    void show();                                                       // shows the answer

    const std::vector<Mark>& marks() const { return marks_; } // by stage
    std::string marks_text() const;
    void restore_marks(const std::string& text); // unusable marks are ignored
    void begin_again();
    std::size_t answered() const;

  private:
    void request();

    const Lesson& lesson_;
    std::uint64_t n_;
    std::uint32_t block_;
    std::vector<std::unique_ptr<Runner>> runners_; // one per trace
    std::size_t waiting_ = 0;
    LessonTraces traces_, coming_;
    std::string error_;
    std::size_t stage_ = 0;
    std::vector<Mark> marks_;
    std::vector<unsigned> tries_;
    std::vector<std::optional<LessonAnswer>> last_;
};

} // namespace warptree::session
