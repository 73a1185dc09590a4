#include "app/features/lessons/lesson_file.hpp"

#include "app/base/printable.hpp"
#include "app/base/resources.hpp"
#include "app/base/trimmed.hpp"
#include "app/base/whole_file.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/features/lessons/lesson_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warptree::session {

namespace {
constexpr std::size_t kMostLessonBytes = 1U << 20;

class LessonReader {
  public:
    LessonReader(std::string id, std::string file) : file_(std::move(file)) { lesson_.id = std::move(id); }

    Lesson read(std::string_view text) {
        if (text.size() > kMostLessonBytes) {
            fail(1, "is larger than a lesson can be; take less than 1 MiB");
        }
        for (const LessonLine& entry : lesson_lines(text)) {
            line_ = entry.line;
            try {
                take(entry);
            } catch (const LessonError&) {
                throw;
            } catch (const Error& refused) {
                fail(entry.line, refused.what());
            }
        }
        finish();
        return std::move(lesson_);
    }

  private:
    [[noreturn]] void fail(int line, const std::string& why) const {
        throw LessonError(fmt::format("{}:{}: {}", printable(file_), line, why));
    }

    LessonExpression expression(const std::string& text, std::vector<std::string> bound = {}) const {
        if (text.empty()) {
            fail(line_, "an expression is missing");
        }
        return {text, {scope_.traces, std::move(bound)}};
    }
    LessonText filled(const std::string& text) const {
        if (text.empty()) {
            fail(line_, "a text is missing after the colon");
        }
        return {text, scope_};
    }
    LessonExpression condition(const LessonLine& e) const {
        return e.condition.empty() ? LessonExpression() : expression(e.condition);
    }
    std::uint64_t count(const LessonLine& e, std::uint64_t most) const {
        const auto number = parse_count(e.text);
        if (!number || *number == 0 || *number > most) {
            fail(e.line, fmt::format("{} '{}' is not usable; take 1 to {}", e.keyword, printable(e.text), most));
        }
        return *number;
    }

    void require_stage(const LessonLine& e) const {
        if (lesson_.stages.empty()) {
            fail(e.line, fmt::format("'{}' belongs to a stage; write 'stage: HEADING' before it",
                                     e.keyword.empty() ? "a paragraph" : e.keyword));
        }
    }
    LessonStage& stage(const LessonLine& e) {
        require_stage(e);
        return lesson_.stages.back();
    }
    LessonStage& question(const LessonLine& e) {
        LessonStage& s = stage(e);
        if (s.ask.empty()) {
            fail(e.line, fmt::format("'{}' belongs to a question; write 'ask: TEXT' before it", e.keyword));
        }
        return s;
    }
    void set_kind(const LessonLine& e, LessonStage& s, QuestionKind kind) const {
        if (s.kind != QuestionKind::none && (s.kind != kind || kind != QuestionKind::choice)) {
            fail(e.line, "a question has one kind of answer: a number, options or a click");
        }
        s.kind = kind;
    }

    void take(const LessonLine& e) {
        const bool may = e.keyword == "why" || e.keyword == "option" || e.keyword == "text";
        if (!e.condition.empty() && !may) {
            fail(e.line, fmt::format("'{}' takes no condition; 'why', 'text' and 'option' do", e.keyword));
        }
        if (lesson_.stages.empty() && e.keyword != "stage" && take_head(e)) {
            return;
        }
        take_stage(e);
    }

    bool take_head(const LessonLine& e) {
        if (e.keyword == "title") {
            lesson_.title = e.text;
        } else if (e.keyword == "about") {
            lesson_.about = e.text;
        } else if (e.keyword == "read") {
            lesson_.read.push_back(e.text);
        } else if (e.keyword == "n") {
            lesson_.n = count(e, kMaxElements);
        } else if (e.keyword == "block") {
            lesson_.block = static_cast<std::uint32_t>(count(e, 1024));
        } else if (e.keyword == "most-n") {
            lesson_.most_n = count(e, 1U << 20);
        } else if (e.keyword == "needs") {
            const std::size_t bar = e.text.find(" | ");
            if (bar == std::string::npos) {
                fail(e.line,
                     "'needs' takes, after a bar, the requirement in words: 'needs: block >= 64 | two warps or more'");
            }
            lesson_.needs.push_back(
                {LessonExpression(trimmed(e.text.substr(0, bar)), {}), std::string(trimmed(e.text.substr(bar + 3)))});
        } else if (e.keyword.starts_with("trace ")) {
            take_trace(e);
        } else {
            return false;
        }
        return true;
    }

    void take_trace(const LessonLine& e) {
        LessonTrace trace;
        trace.name = e.keyword.substr(6);
        if (trace.name.empty() || std::count(scope_.traces.begin(), scope_.traces.end(), trace.name) != 0 ||
            trace.name.find('-') != std::string::npos) {
            fail(e.line,
                 "each trace needs a name of its own, of letters and digits: 'trace modulo: interleaved-modulo'");
        }
        if (scope_.traces.size() >= 4) {
            fail(e.line, "a lesson has four traces at most");
        }
        StateString state = parse_state("explore/" + e.text);
        trace.own_n = state.values.contains("n");
        trace.own_block = state.values.contains("block");
        // The lesson's n and block are checked once everything is read.
        const bool is_strategy = find_strategy(state.subject) != nullptr || !own_kernel(state.subject).empty();
        const ExploreState explore = explore_state(state);
        trace.options = explore.options;
        if (!is_strategy || state.values.contains("file") || explore.step != 0 ||
            explore.selected.kind != scene::Target::Kind::none) {
            fail(e.line, "a trace is a strategy with trace options, as in 'interleaved-strided?finish=relaunch'");
        }
        scope_.traces.push_back(trace.name);
        lesson_.traces.push_back(std::move(trace));
    }

    // "modulo at stage(4) in launch 1", "at stage(4)"
    LessonPlace place(const LessonLine& e) const {
        require_stage(e);
        LessonPlace p;
        p.line = e.line;
        std::string rest = " " + e.text + " ";
        const auto cut = [&](const char* word) {
            const std::size_t at = rest.find(word);
            std::string after;
            if (at != std::string::npos) {
                after = trimmed(rest.substr(at + std::string_view(word).size()));
                rest = rest.substr(0, at) + " ";
            }
            return after;
        };
        const std::string launch = cut(" in launch "), at = cut(" at ");
        p.trace = trimmed(rest);
        if (p.trace.empty()) {
            p.trace = lesson_.stages.size() > 1 ? lesson_.stages[lesson_.stages.size() - 2].show.trace
                                                : lesson_.traces.front().name;
            p.trace = lesson_.stages.back().show.trace.empty() ? p.trace : lesson_.stages.back().show.trace;
        }
        if (std::find(scope_.traces.begin(), scope_.traces.end(), p.trace) == scope_.traces.end()) {
            fail(e.line, fmt::format("there is no trace '{}'; the lesson has {}", printable(p.trace),
                                     fmt::join(scope_.traces, ", ")));
        }
        if (!at.empty()) {
            p.at = expression(at);
        }
        if (!launch.empty()) {
            p.launch = expression(launch);
        }
        return p;
    }

    void take_stage(const LessonLine& e) {
        if (e.keyword == "stage") {
            if (lesson_.traces.empty()) {
                fail(e.line, "a lesson names its traces before the first stage: 'trace NAME: STRATEGY'");
            }
            if (e.text.empty()) {
                fail(e.line, "a stage has a heading after the colon");
            }
            LessonStage s;
            s.heading = e.text;
            s.line = e.line;
            s.show.line = e.line;
            if (!lesson_.stages.empty()) {
                s.view = lesson_.stages.back().view;
            }
            lesson_.stages.push_back(std::move(s));
        } else if (e.keyword == "show") {
            stage(e).show = place(e);
        } else if (e.keyword == "reveal") {
            stage(e).reveal = place(e);
        } else if (e.keyword == "when") {
            stage(e).when = expression(e.text);
        } else if (e.keyword == "view") {
            if (e.text != "tree" && e.text != "warps" && e.text != "banks") {
                fail(e.line, fmt::format("there is no view '{}'; take tree, warps or banks", printable(e.text)));
            }
            stage(e).view = e.text;
        } else if (e.keyword == "warp") {
            stage(e).warp = expression(e.text);
        } else if (e.keyword == "loads") {
            stage(e).loads = expression(e.text);
        } else if (e.keyword.empty() || e.keyword == "text") {
            LessonStage& s = stage(e);
            if (!s.ask.empty()) {
                fail(e.line, "a paragraph after the question is not read before it; write 'why:' for what comes after, "
                             "and indent what continues a line");
            }
            s.text.push_back({condition(e), filled(e.text), e.line});
        } else {
            take_question(e);
        }
    }

    void take_question(const LessonLine& e) {
        if (e.keyword == "ask") {
            LessonStage& s = stage(e);
            if (!s.ask.empty()) {
                fail(e.line, "a stage has one question; begin another stage for the next");
            }
            s.ask = filled(e.text);
            s.question_line = e.line;
        } else if (e.keyword == "number") {
            LessonStage& s = question(e);
            set_kind(e, s, QuestionKind::number);
            s.answer = expression(e.text);
        } else if (e.keyword == "option") {
            LessonStage& s = question(e);
            if (e.condition.empty()) {
                fail(e.line, "an option says when it is right: 'option(EXPRESSION): TEXT'");
            }
            set_kind(e, s, QuestionKind::choice);
            s.options.push_back({expression(e.condition), filled(e.text)});
        } else if (e.keyword == "click warp" || e.keyword == "click thread" || e.keyword == "click step") {
            LessonStage& s = question(e);
            set_kind(e, s,
                     e.keyword == "click warp"     ? QuestionKind::click_warp
                     : e.keyword == "click thread" ? QuestionKind::click_thread
                                                   : QuestionKind::click_step);
            s.answer = expression(e.text, {e.keyword.substr(6)});
        } else if (e.keyword == "write") {
            LessonStage& s = question(e);
            set_kind(e, s, QuestionKind::write);
            if (find_strategy(e.text) == nullptr) {
                fail(e.line, fmt::format("there is no strategy '{}' to begin with", printable(e.text)));
            }
            s.written_from = e.text;
        } else if (e.keyword == "right") {
            LessonStage& s = question(e);
            if (s.kind != QuestionKind::write) {
                fail(e.line, "'right' says when a written kernel is the answer; write 'write: STRATEGY' before it");
            }
            s.answer = expression(e.text);
        } else if (e.keyword == "hint") {
            question(e).hint = filled(e.text);
        } else if (e.keyword == "why") {
            question(e).why.push_back({condition(e), filled(e.text), e.line});
        } else {
            fail(e.line,
                 fmt::format("'{}' is not a keyword here; docs/lessons.md lists them. A text that begins with a "
                             "word and a colon is written after 'text:'",
                             printable(e.keyword)));
        }
    }

    void finish() {
        if (lesson_.title.empty()) {
            fail(1, "a lesson has a title: 'title: TEXT'");
        }
        if (lesson_.stages.empty()) {
            fail(line_, "a lesson needs at least one stage: 'stage: HEADING'");
        }
        for (std::size_t i = 0; i < lesson_.stages.size(); ++i) {
            LessonStage& s = lesson_.stages[i];
            if (s.show.trace.empty()) { // as in the previous stage
                const bool first = i == 0;
                s.show.trace = first ? lesson_.traces.front().name : lesson_.stages[i - 1].show.trace;
                if (!first) {
                    s.show.at = lesson_.stages[i - 1].show.at;
                    s.show.launch = lesson_.stages[i - 1].show.launch;
                }
            }
            if (!s.ask.empty() && s.kind == QuestionKind::none) {
                fail(s.question_line, "the question has no answer; write 'number:', 'option(…):' or 'click warp:'");
            }
            if (s.kind == QuestionKind::write && s.answer.empty()) {
                fail(s.question_line,
                     "the question does not say which kernel is the answer; write 'right: EXPRESSION'");
            }
            if (s.kind == QuestionKind::choice && s.options.size() < 2) {
                fail(s.question_line, "a choice needs at least two options");
            }
            if (s.kind != QuestionKind::none && s.why.empty()) {
                fail(s.question_line, "the question does not say why; write 'why: TEXT'");
            }
        }
        try {
            if (const auto why = refusal(lesson_, lesson_.n, lesson_.block)) {
                fail(1, fmt::format("the lesson cannot be taken at its own n = {} and block = {}: {}", lesson_.n,
                                    lesson_.block, *why));
            }
        } catch (const OptionError& e) {
            fail(1, std::string("'needs' knows n and block only; ") + e.what());
        }
    }

    std::string file_;
    Lesson lesson_;
    LessonExpression::Scope scope_;
    int line_ = 1;
};
} // namespace

Lesson parse_lesson(std::string_view text, const std::string& id, const std::string& file) {
    return LessonReader(id, file).read(text);
}

Lesson load_lesson(const std::filesystem::path& path) {
    std::string id = path.stem().string();
    if (const std::size_t dash = id.find('-');
        dash != std::string::npos && id.find_first_not_of("0123456789") == dash) {
        id.erase(0, dash + 1); // the number is its place in the list
    }
    return parse_lesson(read_text(path, kMostLessonBytes), id, path.string());
}

std::vector<Lesson> load_lessons(const std::filesystem::path& directory) {
    std::vector<std::filesystem::path> paths;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
        if (entry.path().extension() == ".lesson") {
            paths.push_back(entry.path());
        }
    }
    std::sort(paths.begin(), paths.end());
    std::vector<Lesson> all;
    for (const auto& path : paths) {
        all.push_back(load_lesson(path));
    }
    return all;
}

std::vector<Lesson> load_lessons() { return load_lessons(resource("assets/lessons")); }

} // namespace warptree::session
