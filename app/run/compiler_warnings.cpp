#include "app/run/compiler_warnings.hpp"

#include "app/run/remedy/statements.hpp"
#include "app/simt/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace warptree::runs {

namespace {
// What clang says of one; none: it says something else.
std::optional<std::string> unset_name(const compile::Diagnostic& d) {
    constexpr std::string_view kBegin = "variable '";
    if (d.severity != compile::Diagnostic::Severity::warning || !d.message.starts_with(kBegin)) {
        return std::nullopt;
    }
    const std::string_view rest = std::string_view(d.message).substr(kBegin.size());
    const std::size_t end = rest.find('\'');
    const std::string_view what = end == std::string_view::npos ? "" : rest.substr(end + 1);
    if (!what.starts_with(" is uninitialized when used here") && !what.starts_with(" is used uninitialized whenever")) {
        return std::nullopt;
    }
    return std::string(rest.substr(0, end));
}

bool is_in_line(const compile::Program& program, std::uint32_t location, const compile::Diagnostic& d) {
    const compile::Location& l = program.locations[location];
    return l.line == d.line && l.file < program.files.size() && program.files[l.file].path == d.file;
}

// A location of the kernel's code in that line; 0: none.
std::uint32_t location_in(const compile::Program& program, const compile::Kernel& kernel,
                          const compile::Diagnostic& d) {
    for (const compile::Instruction& i : program.functions[kernel.function].code) {
        if (is_in_line(program, i.location, d)) {
            return i.location;
        }
    }
    return 0;
}
// Whether the use that the note after the warning tells of hands a value on by __shfl_sync, as after
// if (lane == 0) base = atomicAdd(...): only the values of lanes that are read from matter. That these are the ones that have set
// it is not looked for.
bool is_handed_on(const compile::Program& program, const compile::Kernel& kernel, std::size_t warning) {
    bool broadcast = false;
    for (std::size_t k = warning + 1; k < program.diagnostics.size(); ++k) {
        const compile::Diagnostic& note = program.diagnostics[k];
        if (note.severity != compile::Diagnostic::Severity::note) {
            break;
        }
        if (!note.message.starts_with("uninitialized use")) {
            continue;
        }
        for (const compile::Instruction& i : program.functions[kernel.function].code) {
            if (i.op == compile::Opcode::shuffle && is_in_line(program, i.location, note)) {
                const auto mode = static_cast<compile::ShuffleMode>(program.exchanges[i.c].mode);
                if (mode != compile::ShuffleMode::index) {
                    return false;
                }
                broadcast = true;
            }
        }
    }
    return broadcast;
}

void tell_unset(const compile::Program& program, const compile::Kernel& kernel, Launch& launch) {
    for (std::size_t k = 0; k < program.diagnostics.size(); ++k) {
        const compile::Diagnostic& d = program.diagnostics[k];
        const std::optional<std::string> name = unset_name(d);
        if (!name || is_handed_on(program, kernel, k)) {
            continue;
        }
        const std::uint32_t location = location_in(program, kernel, d);
        if (location == 0) {
            continue;
        }
        const bool always = d.message.find("when used here") != std::string::npos;
        Finding f;
        f.kind = FindingKind::uninitialised;
        f.severity = Severity::risk;
        f.line = simt::line_at(program, location);
        f.text = *name + (always ? " is used" : " may be used");
        launch.findings.push_back(std::move(f));
    }
}

// How Clang's message begins, and what is told instead; empty: the message as it stands.
struct Words {
    std::string_view begins, words;
};
constexpr std::array kWords = {
    Words{"using the result of an assignment as a condition", "'=' assigns, and the condition is what it assigns: "
                                                              "'==' compares"},
    Words{"if statement has empty body", "the ';' ends the 'if' here: what follows is done in any case"},
    Words{"for loop has empty body", "the ';' ends the loop here: what follows is done once, behind it"},
    Words{"while loop has empty body", "the ';' ends the loop here: what follows is done once, behind it"},
    Words{"array index", ""},
    Words{"overflow in expression", ""},
    Words{"shift count", ""},
    Words{"division by zero", ""},
    Words{"remainder by zero", ""},
    Words{"equality comparison result unused", "this compares and forgets the result: '=' assigns"},
    Words{"left operand of comma operator has no effect", "what stands before the ',' has no effect: a[i, j] is a[j]"},
    Words{"more '%' conversions than data arguments", "the format has more conversions than there are arguments"},
    Words{"non-void function does not return a value", "the function ends here without the value that it returns: what "
                                                       "its caller gets is chance"},
    Words{"implicit conversion from", ""},
    Words{"multiple unsequenced modifications", ""},
    Words{"unsequenced modification", ""},
    Words{"'sizeof (", ""},
    Words{"sizeof on array function parameter", ""},
    Words{"sizeof(", ""},
    Words{"result of comparison of constant", ""},
    Words{"the quotient of the integers", ""},
    Words{"the quotient of two integers", ""},
    Words{"comparisons like 'X<=Y<=Z'",
          "'a < x < b' compares the outcome of the first, 0 or 1, with b: a < x && x < b"},
    Words{"chained comparison", "'a < x < b' compares the outcome of the first, 0 or 1, with b: a < x && x < b"},
    Words{"result of comparison '", ""},
};

// "misleading indentation; statement is not part of the previous 'if'"
std::string of_indentation(std::string_view message) {
    constexpr std::string_view kBegin = "misleading indentation; statement is not part of the previous ";
    return message.starts_with(kBegin)
               ? fmt::format("its indentation misleads: without braces this is no part of the {} before it",
                             message.substr(kBegin.size()))
               : std::string();
}

// "& has lower precedence than ==; == will be evaluated first"
std::string of_precedence(std::string_view message) {
    constexpr std::string_view kThan = " has lower precedence than ";
    const std::size_t than = message.find(kThan), end = message.find(';');
    if (than != 1 || end == std::string_view::npos ||
        std::string_view("&|^").find(message[0]) == std::string_view::npos) {
        return {};
    }
    const std::string_view other = message.substr(than + kThan.size(), end - than - kThan.size());
    return fmt::format("'{}' binds weaker than '{}': '{}' is evaluated first", message[0], other, other);
}

// "format specifies type 'int' but the argument has type 'float'": where only one of them is floating-point, what is printed
// means nothing.
std::string of_format(std::string_view message) {
    constexpr std::string_view kBegin = "format specifies type ", kBut = " but the argument has type ";
    const std::size_t but = message.find(kBut);
    if (!message.starts_with(kBegin) || but == std::string_view::npos) {
        return {};
    }
    const std::string_view asked = message.substr(kBegin.size(), but - kBegin.size()),
                           given = message.substr(but + kBut.size());
    const auto is_floating = [](std::string_view type) {
        return type.find("float") != std::string_view::npos || type.find("double") != std::string_view::npos;
    };
    return is_floating(asked) == is_floating(given)
               ? std::string()
               : fmt::format("the format asks for {} and gets {}: what is printed means nothing", asked, given);
}

// Whether a warning is about the kernel: in a line that has code of it, or of what it calls, or between its first and last line.
class Lines {
  public:
    Lines(const compile::Program& program, const compile::Kernel& kernel) : program_(program) {
        const compile::Location& name = program.locations[kernel.location];
        for (const compile::Instruction& i : program.functions[kernel.function].code) {
            for (std::uint32_t at = i.location; at != compile::kNone; at = program.locations[at].inlined_at) {
                const compile::Location& l = program.locations[at];
                code_.insert({l.file, l.line});
                if (l.inlined_at == compile::kNone && l.file == name.file) {
                    last_ = std::max(last_, l.line);
                }
            }
        }
        file_ = name.file;
        first_ = name.line;
    }
    bool have(SourceLine line) const {
        return code_.contains({line.file(), line.line()}) ||
               (line.file() == file_ && line.line() >= first_ && line.line() <= last_);
    }

  private:
    const compile::Program& program_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> code_;
    std::uint32_t file_ = 0, first_ = 0, last_ = 0;
};

SourceLine line_of(const compile::Program& program, const compile::Diagnostic& d) {
    const auto file = std::find_if(program.files.begin(), program.files.end(),
                                   [&](const compile::SourceText& f) { return f.path == d.file; });
    return file == program.files.end() ? SourceLine::none()
                                       : SourceLine::of(static_cast<unsigned>(file - program.files.begin()), d.line);
}

// while (flag == 0); next(); — a loop that only waits, with what follows in its line.
bool waits_in_its_line(const compile::Program& program, const compile::Diagnostic& d) {
    if (!d.message.ends_with("loop has empty body") || !line_of(program, d).known()) {
        return false;
    }
    const Statements code(program.files[line_of(program, d).file()].text);
    const std::size_t begin = code.line_begin(d.line), at = begin + std::max(1U, d.column) - 1;
    const std::size_t end = code.text().find('\n', begin);
    const std::string rest = at < std::min(end, code.text().size()) ? code.text().substr(at, end - at) : std::string();
    const std::size_t next = rest.find_first_not_of("; \t\r");
    return rest.starts_with(';') && next != std::string::npos && rest[next] != '{' &&
           rest.compare(next, 2, "//") != 0 && rest.compare(next, 2, "/*") != 0;
}

void tell_doubtful(const compile::Program& program, const compile::Kernel& kernel, Launch& launch) {
    const Lines lines(program, kernel);
    std::vector<compile::Diagnostic> warnings = program.diagnostics;
    std::ranges::stable_sort(warnings, {}, &compile::Diagnostic::line);
    for (const compile::Diagnostic& d : warnings) {
        const SourceLine line = line_of(program, d);
        std::string words = in_words(d);
        const auto same = [&](const Finding& f) {
            return f.line == line && (f.kind == FindingKind::print_format || f.text == words);
        };
        if (words.empty() || unset_name(d) || waits_in_its_line(program, d) || !line.known() || !lines.have(line) ||
            std::ranges::any_of(launch.findings, same)) {
            continue; // instances of a template have the same
        }
        Finding f;
        f.kind = FindingKind::doubtful_code;
        f.severity = Severity::risk;
        f.line = line;
        f.text = std::move(words);
        launch.findings.push_back(std::move(f));
    }
}
// All dynamic arrays of a kernel begin at one address.
void tell_shared_at_one_place(const compile::Program& program, const compile::Kernel& kernel, Launch& launch) {
    std::vector<const compile::SharedArray*> dynamic;
    for (const std::uint32_t s : kernel.shared) {
        if (program.shared[s].bytes == 0) {
            dynamic.push_back(&program.shared[s]);
        }
    }
    if (dynamic.size() < 2) {
        return;
    }
    std::ranges::stable_sort(dynamic, {}, &compile::SharedArray::location);
    Finding f;
    f.kind = FindingKind::doubtful_code;
    f.severity = Severity::risk;
    f.line = simt::line_at(program, dynamic[1]->location);
    if (!f.line.known()) {
        f.line = simt::line_at(program, kernel.location);
    }
    f.text = fmt::format(
        "{} and {} are the same memory, as all extern __shared__ arrays begin at one address: take one, and let "
        "the other be a pointer behind its elements",
        dynamic[0]->name, dynamic[1]->name);
    launch.findings.push_back(std::move(f));
}
} // namespace

std::string in_words(const compile::Diagnostic& warning) {
    if (warning.severity != compile::Diagnostic::Severity::warning) {
        return {};
    }
    for (const auto& said :
         {of_indentation(warning.message), of_precedence(warning.message), of_format(warning.message)}) {
        if (!said.empty()) {
            return said;
        }
    }
    if (const auto name = unset_name(warning); name && warning.message.ends_with("when used here")) {
        return *name + " is used before it has a value: it may begin as anything";
    }
    const auto* const found =
        std::ranges::find_if(kWords, [&](const Words& w) { return warning.message.starts_with(w.begins); });
    return found == kWords.end() ? std::string() : found->words.empty() ? warning.message : std::string(found->words);
}

void tell_warnings(const compile::Program& program, const compile::Kernel& kernel, Launch& launch) {
    tell_unset(program, kernel, launch);
    tell_doubtful(program, kernel, launch);
    tell_shared_at_one_place(program, kernel, launch);
}

} // namespace warptree::runs
