#include "app/views/verdict.hpp"

#include "app/base/printable.hpp"
#include "app/trace/explain/explain.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/report_kernel.hpp"
#include "app/trace/explain/report_program.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <utility>
#include <vector>

namespace warptree::scene {

namespace {
class Parts {
  public:
    void add(RunVerdict::Mark mark, const std::string& text) {
        mark_ = std::max(mark_, mark);
        if (!text.empty()) {
            text_ += (text_.empty() ? "" : " · ") + text;
        }
    }
    RunVerdict take(RunVerdict::Mark otherwise) const {
        return {mark_ == RunVerdict::Mark::right ? otherwise : std::max(mark_, otherwise), text_, false};
    }

  private:
    RunVerdict::Mark mark_ = RunVerdict::Mark::right;
    std::string text_;
};

// "2 races", "out of bounds", "leak (risk)": the kinds of findings of a severity, races first.
void add_findings(const Trace& trace, Severity severity, Parts& parts) {
    struct Kind {
        std::string title;
        std::size_t count = 0;
    };
    std::vector<Kind> kinds;
    const auto note = [&](const Finding& f) {
        if (f.severity != severity) {
            return;
        }
        const std::string name = title(f.kind);
        auto at = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) { return k.title == name; });
        at = at == kinds.end() ? kinds.insert(at, Kind{name, 0}) : at;
        ++at->count;
    };
    for (const Launch& launch : trace.launches) {
        std::for_each(launch.findings.begin(), launch.findings.end(), note);
    }
    std::for_each(trace.program.findings.begin(), trace.program.findings.end(), note);
    std::stable_partition(kinds.begin(), kinds.end(), [](const Kind& k) { return k.title == "race"; });
    for (const Kind& k : kinds) {
        const bool risk = severity == Severity::risk;
        const std::string many = k.title == "race" ? plural(k.count, "race") : k.title;
        parts.add(risk ? RunVerdict::Mark::risk : RunVerdict::Mark::wrong, many + (risk ? " (risk)" : ""));
    }
}

// Races of a strategy, which are no findings.
void add_hazards(const Trace& trace, Parts& parts) {
    std::uint64_t words = 0;
    for (const Launch& launch : trace.launches) {
        words += launch.findings.empty() ? launch.totals().hazards : 0;
    }
    if (words != 0) {
        parts.add(RunVerdict::Mark::wrong,
                  words == 1 ? std::string("races once") : "races " + grouped(words) + " times");
    }
}

// The step in which a run that does not complete ends.
std::string where_it_ends(const Trace& trace) {
    const Launch& launch = trace.launches.back();
    const auto label = [&](std::uint32_t step) {
        return step < launch.steps.size() ? launch.steps[step].label : std::string("its last step");
    };
    for (const Finding& f : launch.findings) {
        if (ends_the_run(f)) {
            const std::string step = label(f.step);
            return f.kind == FindingKind::endless ? std::string("still running")
                   : step == "no access"          ? std::string("ended early")
                                                  : "ended in " + step;
        }
    }
    return launch.stalls.empty() ? "never completes" : "waits forever in " + label(launch.stalls.front().step);
}

std::string last_line(const std::string& text) {
    std::size_t end = text.size();
    while (end > 0 && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0) {
        --end;
    }
    const std::size_t begin = text.rfind('\n', end == 0 ? 0 : end - 1);
    return text.substr(begin == std::string::npos || begin >= end ? 0 : begin + 1,
                       end - (begin == std::string::npos || begin >= end ? 0 : begin + 1));
}

// What a line that a program prints says of its result: "PASS", "0 of 1000 are wrong", "do not match", "errors: 3".
RunVerdict::Mark judgement(const std::string& line) {
    using Mark = RunVerdict::Mark;
    struct Word {
        std::string text; // lower case; a number as it stands
        bool number = false;
    };
    std::vector<Word> words;
    for (std::size_t i = 0; i < line.size();) {
        const auto is = [&](auto kind) { return kind(static_cast<unsigned char>(line[i])) != 0; };
        const bool digit = is(isdigit);
        Word word{"", digit};
        while (i < line.size() && (digit ? is(isalnum) || line[i] == '.' : is(isalpha) || line[i] == '\'')) {
            word.text += static_cast<char>(std::tolower(static_cast<unsigned char>(line[i++])));
        }
        if (word.text.empty() && (line[i] == ',' || line[i] == ';')) {
            word.text = line[i]; // ends what counts
        }
        if (word.text.empty() || word.text == "," || word.text == ";") {
            ++i;
        }
        if (!word.text.empty()) {
            words.push_back(std::move(word));
        }
    }
    const auto among = [](const std::string& word, std::initializer_list<std::string_view> list) {
        return std::ranges::any_of(list, [&](std::string_view begin) { return word.starts_with(begin); });
    };
    const auto denied = [&](std::size_t at) { // "no errors", "does not match"
        for (std::size_t back = 1; back <= std::min<std::size_t>(at, 2); ++back) {
            const std::string& word = words[at - back].text;
            if (word == "no" || word == "not" || word == "without" || word == "zero" || word.ends_with("n't")) {
                return true;
            }
        }
        return false;
    };
    // The number that counts it: behind it, else before it, of "0 of 1000" the first. Null: none does.
    const auto count_of = [&](std::size_t at) -> const std::string* {
        const bool verb = at + 2 < words.size() && among(words[at + 1].text, {"count", "is", "are", "found", "total"});
        if (const std::size_t next = at + (verb ? 2 : 1); next < words.size() && words[next].number) {
            return &words[next].text;
        }
        for (std::size_t back = at; back > 0 && back + 3 >= at; --back) {
            if (words[back - 1].number) {
                const bool part = back >= 3 && words[back - 2].text == "of" && words[back - 3].number;
                return &words[part ? back - 3 : back - 1].text;
            }
        }
        return nullptr;
    };
    Mark mark = Mark::unchecked;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        if (among(word, {"fail", "wrong", "incorrect", "mismatch", "error"})) {
            const std::string* const count = denied(i) ? nullptr : count_of(i);
            if (denied(i) || (count != nullptr && *count == "0")) {
                mark = Mark::right;
            } else if (count == nullptr || count->find_first_not_of("0123456789") == std::string::npos) {
                return Mark::wrong;
            } // "max error 0.0001" says nothing
        } else if (among(word, {"pass", "correct", "success", "match"}) || word == "ok") {
            if (denied(i)) {
                return Mark::wrong;
            }
            mark = Mark::right;
        }
    }
    return mark;
}

// A program judges itself, by its exit code and by what it prints last.
void add_program(const Trace& trace, Parts& parts, RunVerdict::Mark& otherwise) {
    const ProgramStory& p = trace.program;
    const std::string why = p.events.empty() ? "" : p.events.back().text;
    const std::string line = printable(last_line(p.printed));
    otherwise = p.exit != 0 || !why.empty() ? RunVerdict::Mark::wrong : judgement(line);
    const std::string ended = fmt::format("exit {}", p.exit);
    parts.add(RunVerdict::Mark::right, p.exit != 0 || line.empty() ? ended : line);
    parts.add(RunVerdict::Mark::right, p.exit != 0 ? line : line.empty() ? "" : ended);
}

void add_result(const Trace& trace, Parts& parts, RunVerdict::Mark& otherwise, bool& may_expect) {
    if (is_kernel_file(trace) && expects_nothing(trace)) {
        otherwise = RunVerdict::Mark::unchecked;
        may_expect = true;
        parts.add(RunVerdict::Mark::right, trace.equals.empty() ? "not checked" : "not checked: it is " + trace.equals);
    } else if (const std::string missing = missing_result(trace); !missing.empty()) {
        parts.add(RunVerdict::Mark::wrong, "wrong: " + missing);
    } else if (!trace.pass) {
        const std::string where = trace.first_wrong
                                      ? fmt::format("element {} is {}", *trace.first_wrong, to_string(trace.result))
                                      : to_string(trace.result);
        parts.add(RunVerdict::Mark::wrong, fmt::format("wrong: {}, expected {}", where, to_string(trace.reference)));
    } else if (!std::isfinite(trace.reference.as_double())) { // which any sum that overflows is, too
        otherwise = RunVerdict::Mark::unchecked;
        parts.add(RunVerdict::Mark::right, "not decided: " + to_string(trace.reference) + " is expected");
    } else {
        parts.add(RunVerdict::Mark::right, "right: " + to_string(trace.result));
    }
}
} // namespace

RunVerdict verdict(const Trace& trace) {
    Parts parts;
    RunVerdict::Mark otherwise = RunVerdict::Mark::right;
    bool may_expect = false;
    if (!trace.launches.empty() && !trace.completed()) {
        parts.add(RunVerdict::Mark::wrong, where_it_ends(trace));
    }
    add_findings(trace, Severity::fault, parts);
    if (is_program(trace)) {
        add_program(trace, parts, otherwise);
    } else {
        add_hazards(trace, parts);
        for (const OtherLaunch& tried : trace.tried) {
            if (tried.wrong) {
                parts.add(RunVerdict::Mark::risk, tried.found + " with " + tried.with);
            }
        }
        if (trace.completed()) {
            add_result(trace, parts, otherwise, may_expect);
        }
    }
    add_findings(trace, Severity::risk, parts);
    RunVerdict result = parts.take(otherwise);
    result.may_expect = may_expect;
    return result;
}

std::string in_parts(const std::string& text, const std::function<bool(const std::string&)>& fits) {
    for (std::size_t end = text.size(); end != 0 && end != std::string::npos;) {
        std::string shown = text.substr(0, end) + (text.compare(end, 2, ", ") == 0 ? " …" : "");
        if (fits(shown)) {
            return shown;
        }
        std::size_t before = std::string::npos;
        for (const char* between : {" · ", ", ", ": ", " with ", " ("}) {
            const std::size_t at = text.rfind(between, end - 1);
            const bool behind_a_comma = at != std::string::npos && at != 0 && text[at - 1] == ',';
            if (at < end && !behind_a_comma && (before == std::string::npos || at > before)) {
                before = at;
            }
        }
        end = before;
    }
    return {};
}

std::string what_ended(const Trace& trace) {
    for (const Launch& launch : trace.launches) {
        for (const Finding& f : launch.findings) {
            if (ends_the_run(f)) {
                return f.kind == FindingKind::endless    ? std::string("still running")
                       : f.kind == FindingKind::deadlock ? std::string("waits forever")
                                                         : title(f.kind);
            }
        }
        if (launch.stalled_blocks != 0 || !launch.stalls.empty()) {
            return "waits forever";
        }
    }
    return "ended early";
}

namespace {
// Whether a fault of a shuffle or vote, which has the first step of all in which its line does so, happens in this one, too. What
// the trace holds says so if it has as many exchanges of the kind as were counted.
bool happens_again(const Launch& launch, const Finding& f, std::uint32_t step) {
    constexpr std::size_t kMost = std::size_t{1} << 16; // exchanges, all of which are looked at
    const bool mask = f.kind == FindingKind::bad_mask, lane = f.kind == FindingKind::inactive_lane;
    if (f.times < 2 || (!mask && !lane) || launch.shuffles.size() + launch.votes.size() > kMost) {
        return false;
    }
    std::uint64_t all = 0;
    bool here = false;
    const auto note = [&](const auto& exchange, std::uint64_t times) {
        all += times;
        here = here || (times != 0 && exchange.step == step);
    };
    const bool executed = f.text.starts_with("lanes that are not in its mask"); // else its lanes do not execute it
    const auto wrong = [&](std::uint32_t lanes) { return ((lanes & f.mask) != 0) == executed ? 1U : 0U; };
    for (const Shuffle& s : launch.shuffles) {
        if (s.line != f.line) {
            continue;
        }
        if (mask) {
            note(s, wrong(s.mask));
        } else if (s.first_source != kNone) {
            std::uint64_t lanes = 0;
            for (std::uint32_t rest = s.mask; rest != 0; rest &= rest - 1) {
                const std::uint8_t from =
                    launch.shuffle_sources[s.first_source + static_cast<unsigned>(std::countr_zero(rest))];
                lanes += (s.mask >> from & 1U) == 0 ? 1 : 0;
            }
            note(s, lanes);
        }
    }
    for (const Vote& v : launch.votes) {
        if (mask && v.line == f.line) {
            note(v, wrong(v.mask));
        }
    }
    return here && all * launch.grid == f.times * launch.window_count;
}
} // namespace

bool goes_wrong(const Launch& launch, std::uint32_t step) {
    // A finding has the first step of all in which its threads race.
    const bool races = launch.findings.empty() || std::ranges::any_of(launch.findings, [](const Finding& f) {
                           return f.severity == Severity::fault && is_race(f.kind);
                       });
    const bool found = std::any_of(launch.findings.begin(), launch.findings.end(), [&](const Finding& f) {
        return f.severity == Severity::fault && (f.step == step || happens_again(launch, f, step));
    });
    return found ||
           std::any_of(launch.stalls.begin(), launch.stalls.end(), [&](const Stall& s) { return s.step == step; }) ||
           (step < launch.steps.size() && races && launch.steps[step].counters.hazards != 0);
}

} // namespace warptree::scene
