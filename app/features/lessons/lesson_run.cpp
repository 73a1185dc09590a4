#include "app/features/lessons/lesson_run.hpp"

#include "app/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warptree::session {

namespace {
[[noreturn]] void no_answer(const std::string& why) { throw OptionError("no answer: " + why); }

const char* clicked_name(QuestionKind kind) {
    return kind == QuestionKind::click_warp ? "warp" : kind == QuestionKind::click_thread ? "thread" : "step";
}

// "1", "1 and 3", "0 to 7", "0, 2, 5, 6, 7, 9 and 4 more"
std::string listed(const std::vector<LessonAnswer>& all) {
    const auto count = std::ssize(all);
    if (count > 2 && all.back() - all.front() + 1 == count) {
        return fmt::format("{} to {}", all.front(), all.back());
    }
    std::string out;
    constexpr std::ptrdiff_t kMost = 6;
    for (std::ptrdiff_t i = 0; i < std::min(count, kMost); ++i) {
        const bool last = i + 1 == count;
        out += (i == 0 ? "" : last ? " and " : ", ") + std::to_string(all[static_cast<std::size_t>(i)]);
    }
    return count > kMost ? out + fmt::format(" and {} more", count - kMost) : out;
}
} // namespace

LessonTeller::LessonTeller(const LessonStage& stage, const LessonTraces& traces) : stage_(stage) {
    for (const auto& [name, trace] : traces) {
        traces_[name] = trace.get();
    }
    facts_ = facts(stage.show);
}

LessonFacts LessonTeller::facts(const LessonPlace& place) const {
    LessonFacts f;
    f.traces = traces_;
    f.shown = place.trace;
    const Trace& trace = *f.at("").trace;
    if (!place.launch.empty()) {
        const std::int64_t launch = place.launch.value(f);
        if (launch < 0 || launch >= std::ssize(trace.launches)) {
            no_answer(fmt::format("there is no launch {}", launch));
        }
        f.launch = static_cast<std::uint32_t>(launch);
    }
    if (!place.at.empty()) {
        const std::int64_t step = place.at.value(f);
        if (step < 0 || step >= std::ssize(trace.launches[f.launch].steps)) {
            no_answer(fmt::format("there is no step {}", step));
        }
        f.step = static_cast<std::uint32_t>(step);
    }
    return f;
}

LessonTeller::Place LessonTeller::place(bool revealed) const {
    const LessonFacts f = revealed && stage_.reveal ? facts(*stage_.reveal) : facts_;
    return {f.shown, f.launch, f.step};
}

bool LessonTeller::takes_part() const { return stage_.when.empty() || stage_.when.value(facts_) != 0; }

namespace {
std::vector<std::string> those_that_hold(const std::vector<LessonParagraph>& all, const LessonFacts& facts) {
    std::vector<std::string> out;
    for (const LessonParagraph& p : all) {
        if (p.when.empty() || p.when.value(facts) != 0) {
            out.push_back(p.text.filled(facts));
        }
    }
    return out;
}
} // namespace

std::vector<std::string> LessonTeller::paragraphs() const { return those_that_hold(stage_.text, facts_); }
std::vector<std::string> LessonTeller::why() const { return those_that_hold(stage_.why, facts_); }
std::string LessonTeller::ask() const { return stage_.ask.filled(facts_); }
std::string LessonTeller::hint() const { return stage_.hint.filled(facts_); }

std::optional<std::uint32_t> LessonTeller::warp() const {
    if (stage_.warp.empty()) {
        return std::nullopt;
    }
    const std::int64_t warp = stage_.warp.value(facts_);
    const FactPlace here = facts_.at("");
    if (warp < 0 || warp >= std::int64_t{here.trace->launches[here.launch].warps()}) {
        no_answer(fmt::format("there is no warp {}", warp));
    }
    return static_cast<std::uint32_t>(warp);
}

std::optional<unsigned> LessonTeller::loads() const {
    if (stage_.loads.empty()) {
        return std::nullopt;
    }
    return static_cast<unsigned>(std::clamp<std::int64_t>(stage_.loads.value(facts_), 1, 1024));
}

std::vector<std::string> LessonTeller::options() const {
    std::vector<std::string> out;
    for (const LessonOption& option : stage_.options) {
        out.push_back(option.text.filled(facts_));
    }
    return out;
}

std::vector<LessonAnswer> LessonTeller::answer() const {
    std::vector<LessonAnswer> all;
    const FactPlace here = facts_.at("");
    const Launch& launch = here.trace->launches[here.launch];
    switch (stage_.kind) {
    case QuestionKind::none: return all;
    case QuestionKind::number: all.push_back(stage_.answer.value(facts_)); return all;
    case QuestionKind::write: return {1};
    case QuestionKind::choice:
        for (std::size_t i = 0; i < stage_.options.size(); ++i) {
            if (stage_.options[i].right.value(facts_) != 0) {
                all.push_back(static_cast<LessonAnswer>(i));
            }
        }
        if (all.size() != 1) {
            no_answer(fmt::format("{} of {} options are right", all.size(), stage_.options.size()));
        }
        return all;
    case QuestionKind::click_warp:
    case QuestionKind::click_thread:
    case QuestionKind::click_step: break;
    }
    const std::size_t candidates = stage_.kind == QuestionKind::click_warp     ? launch.warps()
                                   : stage_.kind == QuestionKind::click_thread ? launch.block
                                                                               : launch.steps.size();
    LessonFacts f = facts_;
    for (std::size_t i = 0; i < candidates; ++i) {
        f.bound[clicked_name(stage_.kind)] = static_cast<std::int64_t>(i);
        if (stage_.answer.value(f) != 0) {
            all.push_back(static_cast<LessonAnswer>(i));
        }
    }
    if (all.empty()) {
        no_answer(fmt::format("no {} is right", clicked_name(stage_.kind)));
    }
    return all;
}

std::string LessonTeller::answer_text() const {
    const std::vector<LessonAnswer> all = answer();
    switch (stage_.kind) {
    case QuestionKind::none: return {};
    case QuestionKind::number: return fmt::format("{}", all.front());
    case QuestionKind::write: return "a kernel that does it";
    case QuestionKind::choice: return options()[static_cast<std::size_t>(all.front())];
    case QuestionKind::click_step: {
        const FactPlace here = facts_.at("");
        std::string out;
        for (const LessonAnswer step : all) {
            out += (out.empty() ? "" : ", ") +
                   here.trace->launches[here.launch].steps[static_cast<std::size_t>(step)].label;
        }
        return out;
    }
    case QuestionKind::click_warp:
    case QuestionKind::click_thread: break;
    }
    return fmt::format("{}{} {}", clicked_name(stage_.kind), all.size() == 1 ? "" : "s", listed(all));
}

bool LessonTeller::is_written(const Trace& trace) const {
    LessonFacts f;
    f.traces["written"] = &trace;
    f.shown = "written";
    try {
        return trace.completed() && stage_.answer.value(f) != 0;
    } catch (const OptionError&) { // it has no such step
        return false;
    }
}

bool LessonTeller::right(LessonAnswer given) const {
    const std::vector<LessonAnswer> all = answer();
    return std::find(all.begin(), all.end(), given) != all.end();
}

Seen seen_at(const LessonStage& stage, const LessonTraces& traces, const LessonTeller::Place& place) {
    const bool click = stage.kind == QuestionKind::click_warp || stage.kind == QuestionKind::click_thread ||
                       stage.kind == QuestionKind::click_step;
    return seen_until(traces.at(place.trace), place.launch, place.step, click ? Later::labelled : Later::one);
}

char letter(Mark mark) {
    switch (mark) {
    case Mark::open: return '.';
    case Mark::at_once: return 'r';
    case Mark::later: return 'l';
    case Mark::shown: break;
    }
    return 's';
}

LessonRun::LessonRun(const Lesson& lesson, std::uint64_t n, std::uint32_t block, std::function<void()> wake)
    : lesson_(lesson), n_(n), block_(block) {
    if (refusal(lesson, n, block)) {
        n_ = lesson.n;
        block_ = lesson.block;
    }
    for (std::size_t i = 0; i < lesson.traces.size(); ++i) {
        runners_.push_back(std::make_unique<Runner>(wake));
    }
    begin_again();
    request();
}

void LessonRun::request() {
    error_.clear();
    coming_.clear();
    waiting_ = runners_.size();
    for (std::size_t i = 0; i < runners_.size(); ++i) {
        runners_[i]->request(options_at(lesson_.traces[i], n_, block_));
    }
}

bool LessonRun::resize(std::uint64_t n, std::uint32_t block) {
    if (const auto why = refusal(lesson_, n, block)) {
        error_ = *why;
        return false;
    }
    n_ = n;
    block_ = block;
    request();
    return true;
}

bool LessonRun::poll() {
    bool taken = false;
    for (std::size_t i = 0; i < runners_.size(); ++i) {
        auto outcome = runners_[i]->take();
        if (!outcome) {
            continue;
        }
        taken = true;
        if (outcome->trace && outcome->trace->options.n == options_at(lesson_.traces[i], n_, block_).n &&
            outcome->trace->options.block == options_at(lesson_.traces[i], n_, block_).block) {
            coming_[lesson_.traces[i].name] = std::move(outcome->trace);
        } else if (!outcome->trace) {
            error_ = outcome->error;
        }
    }
    if (waiting_ > 0 && coming_.size() == lesson_.traces.size()) {
        traces_ = std::exchange(coming_, {});
        waiting_ = 0;
        go_to(stage_);
    } else if (!error_.empty()) {
        waiting_ = 0;
    }
    return taken;
}

bool LessonRun::takes_part(std::size_t stage) const {
    if (!ready()) {
        return true;
    }
    try {
        return LessonTeller(lesson_.stages[stage], traces_).takes_part();
    } catch (const OptionError&) {
        return false; // its numbers have no value at these sizes
    }
}

void LessonRun::go_to(std::size_t stage) {
    stage_ = std::min(stage, lesson_.stages.size() - 1);
    if (!takes_part(stage_) && !next()) {
        previous();
    }
}

bool LessonRun::next() {
    for (std::size_t s = stage_ + 1; s < lesson_.stages.size(); ++s) {
        if (takes_part(s)) {
            stage_ = s;
            return true;
        }
    }
    return false;
}

bool LessonRun::previous() {
    for (std::size_t s = stage_; s-- > 0;) {
        if (takes_part(s)) {
            stage_ = s;
            return true;
        }
    }
    return false;
}

bool LessonRun::at_end() const {
    for (std::size_t s = stage_ + 1; s < lesson_.stages.size(); ++s) {
        if (takes_part(s)) {
            return false;
        }
    }
    return true;
}

bool LessonRun::finished() const {
    for (std::size_t s = 0; s < lesson_.stages.size(); ++s) {
        if (lesson_.stages[s].kind != QuestionKind::none && marks_[s] == Mark::open && takes_part(s)) {
            return false;
        }
    }
    return true;
}

Seen LessonRun::seen() const {
    const LessonTeller::Place place = teller().place(revealed());
    return finished() ? Seen{traces_.at(place.trace), kNone} : seen_at(now(), traces_, place);
}

bool LessonRun::answer(LessonAnswer given) {
    last_[stage_] = given;
    if (revealed() || !teller().right(given)) {
        tries_[stage_] += revealed() ? 0 : 1;
        return revealed();
    }
    marks_[stage_] = tries_[stage_] == 0 ? Mark::at_once : Mark::later;
    return true;
}

void LessonRun::show() {
    if (!revealed()) {
        marks_[stage_] = Mark::shown;
    }
}

std::string LessonRun::marks_text() const {
    std::string out;
    for (const Mark mark : marks_) {
        out += letter(mark);
    }
    return out;
}

void LessonRun::restore_marks(const std::string& text) {
    if (text.size() != marks_.size()) {
        return; // from another version of the lesson
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
        for (const Mark mark : {Mark::at_once, Mark::later, Mark::shown}) {
            marks_[i] = text[i] == letter(mark) && lesson_.stages[i].kind != QuestionKind::none ? mark : marks_[i];
        }
    }
}

void LessonRun::begin_again() {
    stage_ = 0;
    marks_.assign(lesson_.stages.size(), Mark::open);
    tries_.assign(lesson_.stages.size(), 0);
    last_.assign(lesson_.stages.size(), std::nullopt);
}

std::size_t LessonRun::answered() const {
    return static_cast<std::size_t>(
        std::count_if(marks_.begin(), marks_.end(), [](Mark mark) { return mark != Mark::open; }));
}

} // namespace warptree::session
