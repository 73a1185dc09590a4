#include "app/run/check/program.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/run/kernel_source.hpp"
#include "app/run/program/run.hpp"
#include "app/trace/explain/findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <new>
#include <regex>

namespace warptree::runs {

namespace {
constexpr std::size_t kMostLine = 4096;  // bytes of a line that are compared: matching takes stack by the byte
constexpr std::size_t kMostShown = 2000; // bytes of the end of what it printed, in the report
constexpr int kOnTheClock = 4;           // times the limit of processor time: a run may wait for a busy machine

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        lines.push_back(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

bool prints(const std::vector<std::string_view>& lines, const std::string& pattern) {
    const std::regex wanted(pattern);
    return std::any_of(lines.begin(), lines.end(), [&](std::string_view line) {
        line = line.substr(0, kMostLine);
        return std::regex_search(line.begin(), line.end(), wanted);
    });
}

std::string shortened(std::string_view line) {
    constexpr std::size_t kMost = 80;
    return printable(std::string(line.substr(0, kMost))) + (line.size() > kMost ? "…" : "");
}

// Why a run fails; empty: it passes.
std::string program_failure(const ProgramResult& result, const std::string& printed, const ProgramCase& wanted,
                            const CheckRequest& request, const std::vector<CheckFinding>& findings) {
    const auto fault = std::find_if(findings.begin(), findings.end(), [&](const CheckFinding& f) {
        return !(request.allow_races && f.title == "race") && f.severity == "fault";
    });
    const std::string found = fault == findings.end() ? "" : fmt::format("{}: {}", fault->title, fault->text);
    if (result.end != ProgramEnd::exited) {
        constexpr std::string_view kTime = "--time"; // here it is called otherwise
        std::string said = result.said;
        if (const std::size_t at = said.find(kTime); at != std::string::npos) {
            said.replace(at, kTime.size(), "--limit");
        }
        return !found.empty() && result.end == ProgramEnd::crashed ? found : said;
    }
    const std::vector<std::string_view> lines = lines_of(printed);
    const auto missing = std::find_if(wanted.printed.begin(), wanted.printed.end(),
                                      [&](const std::string& pattern) { return !prints(lines, pattern); });
    if (result.exit != wanted.exit) {
        return fmt::format("it ended with code {}, and should with {}{}", result.exit, wanted.exit,
                           found.empty() ? "" : "; " + found);
    }
    if (missing != wanted.printed.end()) {
        return fmt::format("no line that it printed matches {}; {}{}", printable(*missing),
                           lines.empty() ? "it printed nothing" : "the last is: " + shortened(lines.back()),
                           found.empty() ? "" : "; " + found);
    }
    if (!found.empty()) {
        return found;
    }
    const auto risk = std::find_if(findings.begin(), findings.end(), [&](const CheckFinding& f) {
        return request.no_findings && f.severity == "risk" && !(request.allow_races && f.title == "race");
    });
    return risk == findings.end() ? "" : fmt::format("{}: {}", risk->title, risk->text);
}

std::string end_of(const std::string& printed) {
    const std::size_t from = printed.size() > kMostShown ? printed.find('\n', printed.size() - kMostShown) : 0;
    return (from == 0 ? "" : "…") + printed.substr(std::min(from, printed.size()));
}

std::uint64_t number_in(std::string_view word, const std::string& where, std::uint64_t most) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value > most) {
        throw OptionError(
            fmt::format("{}: '{}' is no whole number up to {}", where, printable(std::string(word)), most));
    }
    return value;
}

std::string_view trimmed_case(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The program's text: the submission's and, if there is one, the course's file after it. A main of the submission's own then
// has another name.
ProgramRequest program_of(const CheckRequest& request, const ProgramCase& wanted) {
    const ProgramCheck& check = *request.program;
    ProgramRequest program;
    program.files = {request.options.kernel.file};
    program.arguments = wanted.arguments;
    program.data = check.data;
    program.run = request.options;
    program.memory = request.options.limits.memory;
    program.time = kOnTheClock * request.limit;
    program.in_full = false;
    if (!check.with.empty()) {
        const std::filesystem::path with = std::filesystem::absolute(check.with);
        program.run.kernel.text = fmt::format("{}\n#undef main\n#include \"{}\"\n", read_source(program.files.front()),
                                              with.filename().string());
        program.folders = {with.parent_path().string()};
        program.defines = {{"main", "main_of_the_submission"}};
    }
    return program;
}
} // namespace

void check_pattern(const std::string& pattern) {
    try {
        const std::regex tried(pattern);
    } catch (const std::regex_error& error) {
        throw OptionError(fmt::format("'{}' is no regular expression: {}; a \\ before a character takes it as it is",
                                      printable(pattern), error.what()));
    }
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    bool quoted = false, open = false;
    for (const char c : text) {
        if (c == '"') {
            quoted = !quoted;
            if (!open) {
                words.emplace_back();
            }
            open = true;
        } else if (!quoted && (c == ' ' || c == '\t')) {
            open = false;
        } else {
            if (!open) {
                words.emplace_back();
            }
            open = true;
            words.back() += c;
        }
    }
    return words;
}

ProgramCheck stated_cases(std::string_view text, const std::string& file) {
    ProgramCheck check;
    unsigned number = 0;
    for (const std::string_view whole : lines_of(text)) {
        ++number;
        const std::string_view line = trimmed_case(whole);
        const std::string where = fmt::format("{}, line {}", printable(file), number);
        constexpr std::string_view kCase = "// case:", kPoints = "// points:";
        if (line.starts_with(kPoints)) {
            check.points = number_in(trimmed_case(line.substr(kPoints.size())), where, 1000000);
        }
        if (!line.starts_with(kCase)) {
            continue;
        }
        ProgramCase& added = check.cases.emplace_back();
        std::string_view rest = line.substr(kCase.size());
        for (bool first = true; first || !rest.empty(); first = false) {
            const std::size_t end = std::min(rest.find(" | "), rest.size());
            const std::string_view part = trimmed_case(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 3, rest.size()));
            const std::size_t blank = std::min(part.find(' '), part.size());
            const std::string_view key = part.substr(0, blank), value = trimmed_case(part.substr(blank));
            if (first) {
                added.arguments = words_of(part);
            } else if (key == "hidden" && value.empty()) {
                added.hidden = true;
            } else if (key == "points") {
                added.points = number_in(value, where, 1000000);
            } else if (key == "exit") {
                added.exit = static_cast<int>(number_in(value, where, 255));
            } else if (key == "name" && !value.empty()) {
                added.name = value;
            } else if (key == "stdout" && !value.empty()) {
                check_pattern(std::string(value));
                added.printed.emplace_back(value);
            } else {
                throw OptionError(
                    fmt::format("{}: '{}' is not part of a case: take name, points, hidden, stdout or exit", where,
                                printable(std::string(part))));
            }
        }
    }
    return check;
}

CheckResult check_program(const CheckRequest& request, RunControl& control,
                          const std::function<void(const CheckRun&)>& tell) {
    CheckResult result;
    result.file = request.options.kernel.file;
    for (const ProgramCase& wanted : request.program->cases) {
        CheckRun run;
        run.name = wanted.name.empty() ? fmt::format("{}", fmt::join(wanted.arguments, " ")) : wanted.name;
        run.name = run.name.empty() ? "without arguments" : run.name;
        run.points = wanted.points;
        run.hidden = wanted.hidden;
        run.expected = !wanted.printed.empty();
        const auto begin = std::chrono::steady_clock::now();
        std::string printed;
        try {
            const ProgramResult ran = run_program(
                program_of(request, wanted), control, [&](std::string_view text) { printed += text; },
                [](std::string_view) {});
            for (const Launch& launch : ran.trace.launches) {
                result.kernel = result.kernel.empty() ? launch.kernel : result.kernel;
                for (const Finding& f : launch.findings) {
                    run.findings.push_back(told(ran.trace, &launch, f));
                }
            }
            for (const Finding& f : ran.trace.program.findings) {
                run.findings.push_back(told(ran.trace, nullptr, f));
            }
            run.reason = program_failure(ran, printed, wanted, request, run.findings);
        } catch (const Cancelled&) {
            throw;
        } catch (const SourceError& error) {
            result.pass = false;
            result.reason = error.what();
            result.diagnostics = error.diagnostics;
            return result;
        } catch (const std::bad_alloc&) {
            run.reason = "it needs more memory than a submission may take";
        } catch (const std::exception& error) {
            run.reason = error.what();
        }
        run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        run.pass = run.reason.empty();
        if (!run.pass && !run.hidden && !result.counter_example) {
            result.counter_example = result.runs.size();
            result.counter_example_report =
                run.reason + (printed.empty() ? "\n" : "\n\nit printed:\n" + end_of(printed) + "\n");
        }
        result.pass &= run.pass;
        result.runs.push_back(std::move(run));
        if (tell) {
            tell(result.runs.back());
        }
    }
    return result;
}

} // namespace warptree::runs
