#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/base/whole_file.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/option_values.hpp"
#include "app/cli/output.hpp"
#include "app/cli/progress.hpp"
#include "app/cli/trace_options.hpp"
#include "app/confine/confine.hpp"
#include "app/request/said.hpp"
#include "app/run/check/document.hpp"
#include "app/run/check/grades.hpp"
#include "app/run/check/pool.hpp"
#include "app/run/check/program.hpp"

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <map>
#include <memory>
#include <optional>

namespace warptree::commands {

namespace {
struct Words {
    std::vector<std::string> files, arguments;
    std::map<std::string, std::string> options; // of request::options(), by id, but for those that are lists here
    std::string expect_file, n, block, type, order, excess, barriers, junit, limit;
    std::vector<std::string> cases, printed;
    std::string exit, data, with, cases_file;
    std::string jobs, points, gradescope, classroom50;
    bool no_findings = false, allow_races = false, json = false, json_lines = false, annotations = false;
};

std::vector<std::string> listed(const std::string& text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

// The cases of programs: those of the course's files, else one for each --args.
std::optional<runs::ProgramCheck> program_of(const Words& w) {
    if (w.cases.empty() && w.printed.empty() && w.exit.empty() && w.data.empty() && w.with.empty() &&
        w.cases_file.empty()) {
        return {};
    }
    runs::ProgramCheck check;
    for (const std::string& file : {w.with, w.cases_file}) {
        if (file.empty()) {
            continue;
        }
        runs::ProgramCheck stated = runs::stated_cases(read_text(file), file);
        check.points = stated.points != 0 ? stated.points : check.points;
        std::move(stated.cases.begin(), stated.cases.end(), std::back_inserter(check.cases));
    }
    for (const std::string& words : w.cases) {
        check.cases.emplace_back().arguments = runs::words_of(words);
    }
    if (check.cases.empty()) {
        check.cases.emplace_back();
    }
    std::ranges::for_each(w.printed, runs::check_pattern);
    for (runs::ProgramCase& one : check.cases) {
        one.printed.insert(one.printed.end(), w.printed.begin(), w.printed.end());
        one.exit = w.exit.empty() ? one.exit : static_cast<int>(count_of("--exit", w.exit, 0, 255));
    }
    check.data = w.data;
    check.with = w.with;
    return check;
}

runs::CheckRequest request_of(const Words& w) {
    runs::CheckRequest r;
    r.program = program_of(w);
    RunOptions& o = r.options;
    o.kernel.file = w.files.front(); // any: options are those of a file
    for (const auto& [id, text] : w.options) {
        if (!text.empty()) {
            request::set(o, request::option(id), text, request::Spelling::command_line);
        }
    }
    if (o.input == InputKind::file) {
        refuse("--input", w.options.at("input"), "take ones, iota, random or alternating");
    }
    o.kernel.file.clear();
    o.kernel.expect = expectation_of(o.kernel.expect, w.expect_file);
    o.kernel.fill = "random";
    take_arguments(o, w.arguments);
    if (!w.n.empty()) {
        for (const std::string& part : listed(w.n, ',')) {
            r.n.push_back(part == "auto" ? 0 : count_of("-n", part, 1, kMaxElements));
        }
    }
    if (!w.block.empty()) {
        for (const std::string& part : listed(w.block, ',')) {
            count_of("--block", part.substr(0, part.find('x')), 1, 1024);
            r.blocks.push_back(part);
        }
    }
    if (!w.type.empty()) {
        r.types = listed(w.type, ',');
    }
    if (w.order == "all") {
        r.orders = {WarpOrder::in_order, WarpOrder::reverse, WarpOrder::random};
    } else if (!w.order.empty()) {
        for (const std::string& part : listed(w.order, ',')) {
            r.orders.push_back(named("--order", part, warp_order_from,
                                     fmt::format("{}, or all", fmt::join(request::option("order").choices, ", "))));
        }
    }
    if (!w.excess.empty()) {
        r.most_excess_wavefronts = count_of("--max-excess-wavefronts", w.excess, 0, ~0ULL);
    }
    if (!w.barriers.empty()) {
        r.most_barriers = count_of("--max-barriers", w.barriers, 0, ~0ULL);
    }
    if (!w.limit.empty()) {
        r.limit = std::chrono::seconds(count_of("--limit", w.limit, 1, 3600));
    }
    r.no_findings = w.no_findings;
    r.allow_races = w.allow_races;
    return r;
}

// "ok" only if the output was compared with something.
std::string outcome(const runs::CheckRun& r) {
    if (!r.pass) {
        return r.reason;
    }
    const std::string found = r.findings.empty()       ? ""
                              : r.findings.size() == 1 ? ", 1 finding: "
                                                       : fmt::format(", {} findings, the first: ", r.findings.size());
    return (r.expected       ? "ok"
            : r.name.empty() ? "ran, with nothing to compare its output with"
                             : "ended as it should") +
           found + (r.findings.empty() ? "" : r.findings.front().title);
}

// What a file's runs came to, after the lines of the runs.
std::string conclusion(const runs::CheckResult& r) {
    std::string out;
    if (!r.reason.empty()) {
        out += fmt::format("{}: {}\n", printable(r.file), printable_lines(r.reason));
    }
    if (r.counter_example) {
        out += fmt::format(
            "\nthe {} that fails: {}\n\n{}\n", r.runs[*r.counter_example].name.empty() ? "smallest run" : "first case",
            printable(runs::name_of(r.runs[*r.counter_example])), printable_lines(r.counter_example_report));
    }
    return out;
}

std::string from_runner(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') {
        throw OptionError(
            fmt::format("--classroom50 is for Classroom 50's runner, which sets {}; it is not set", name));
    }
    return value;
}

runs::Classroom50 classroom50_of_environment() {
    runs::Classroom50 about{from_runner("CLASSROOM"),
                            from_runner("ASSIGNMENT"),
                            from_runner("SUBMISSION_TAG"),
                            from_runner("COMMIT_URL"),
                            from_runner("RELEASE_URL"),
                            {},
                            {}};
    const char* review = std::getenv("REVIEW_URL");
    about.review = review != nullptr && *review != '\0' ? review : about.commit;
    about.datetime = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    return about;
}

// Of a file: those that are asked for, or that the course's file states for all its cases or for each.
std::uint64_t points_of(const Words& w, const runs::CheckRequest& request, std::size_t asked) {
    std::uint64_t of_cases = 0;
    if (request.program) {
        for (const runs::ProgramCase& one : request.program->cases) {
            of_cases += one.points;
        }
    }
    if (of_cases != 0 && !w.points.empty()) {
        throw OptionError("--points: the cases state their points themselves; leave it out");
    }
    return of_cases != 0                                     ? of_cases
           : !w.points.empty()                               ? count_of("--points", w.points, 1, 1000000)
           : request.program && request.program->points != 0 ? request.program->points
                                                             : asked;
}

int check_files(const Words& w) {
    const runs::CheckRequest request = request_of(w);
    const auto jobs = w.jobs.empty() ? 0U : static_cast<unsigned>(count_of("--jobs", w.jobs, 1, 256));
    const std::size_t asked = runs::runs_of(request);
    const std::uint64_t points = points_of(w, request, asked);
    for (const std::string& lack : confine::tried(confine::submission_policy()).missing) {
        fmt::print(stderr, "warptree: submissions are less confined here: {}\n", lack);
    }
    runs::Classroom50 about;
    if (!w.classroom50.empty()) {
        about = classroom50_of_environment();
    }
    RunControl control;
    Interrupt interrupt(control, kWithResults);
    runs::CheckListener listener;
    if (w.json_lines) {
        listener.done = [](const runs::CheckResult& r) { print(runs::check_json_line(r)); };
    } else if (!w.json) {
        listener.run = [](const std::string& file, const runs::CheckRun& r) {
            // Students may read along: of a hidden case nothing but how it ended.
            print(r.hidden ? fmt::format("{}: a hidden case: {}\n", printable(file), r.pass ? "ok" : "fails")
                           : fmt::format("{}: {}: {}\n", printable(file), printable(runs::name_of(r)),
                                         printable_lines(outcome(r))));
        };
        listener.done = [&w](const runs::CheckResult& r) {
            print(conclusion(r) + (w.annotations ? runs::annotations(r) : ""));
        };
    }
    const std::vector<runs::CheckResult> results = runs::check_all(request, w.files, jobs, control, listener);
    interrupt.stopped();
    if (w.json) {
        print(runs::check_json(results));
    }
    if (!w.junit.empty()) {
        write_whole(w.junit, runs::check_junit(results));
    }
    if (!w.gradescope.empty()) {
        write_whole(w.gradescope, runs::gradescope_json(results, asked, points));
    }
    if (!w.classroom50.empty()) {
        write_whole(w.classroom50, runs::classroom50_json(results, asked, points, about));
    }
    if (control.cancel) {
        fmt::print(stderr, "warptree: stopped; what was not done says so\n");
        return interrupted_code();
    }
    return std::ranges::all_of(results, &runs::CheckResult::pass) ? kDone : kWrong;
}
} // namespace

void add_check(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("check", "Run CUDA files over sizes, blocks and orders, and say which fail");
    auto w = std::make_shared<Words>();
    command->add_option("files", w->files, "Files of CUDA")->required();
    const auto option = [&](const char* id, const std::string& help = {}) {
        add_option(*command, id, w->options[id], help);
    };
    option("kernel");
    option("expect");
    command->add_option("--expect-file", w->expect_file, "An .npy FILE that has the output's elements");
    add_option(*command, "n", w->n,
               "Elements, a LIST as in 1,33,1000 (default 1,31,32,33,1000,1024); auto: chosen by the program");
    add_option(*command, "block", w->block, "Threads per block, a LIST as in 32,256,16x16");
    add_option(*command, "type", w->type, "Element types that the kernel may have, a LIST");
    add_option(*command, "order", w->order,
               fmt::format("{}, a LIST of them, or all", fmt::join(request::option("order").choices, ", ")));
    option("grid");
    option("shared");
    command->add_option("--arg", w->arguments, "NAME=VALUE, as for report");
    option("input", "ones, iota, random or alternating (default random)");
    option("seed");
    command->add_flag("--no-findings", w->no_findings,
                      "Fail on risks, too; faults always fail, even if the result is right");
    command->add_flag("--allow-races", w->allow_races, "Let races pass");
    command->add_option("--max-excess-wavefronts", w->excess, "Extra wavefronts that bank conflicts may cost");
    command->add_option("--max-barriers", w->barriers, "Barriers that a block may pass");
    command
        ->add_option("--args", w->cases,
                     "Of programs: the words of a case, as in --args '1000 data.txt'; for each a run")
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all();
    command->add_option("--stdout", w->printed, "A regular expression that a line of what it prints has to match")
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all();
    command->add_option("--exit", w->exit, "The exit code that it has to end with (default 0)");
    command->add_option("--data", w->data, "The folder that programs run in and may read");
    command->add_option("--with", w->with, "The course's FILE with the main that calls what a submission defines");
    command->add_option("--cases", w->cases_file, "A FILE that states the cases, as '// case: 1000 | stdout ^PASS$'");
    command->add_option("--limit", w->limit,
                        "Seconds of processor time that one run may take on each core (default 10)");
    option("memory");
    CLI::Option* json = command->add_flag("--json", w->json, "As JSON");
    CLI::Option* lines = command
                             ->add_flag("--jsonl", w->json_lines,
                                        "As JSON lines: one for each file, as soon as it and those before are done")
                             ->excludes(json);
    command->add_option("--jobs", w->jobs, "Files at a time (default: as many as there are cores)");
    command->add_option("--junit", w->junit, "Write the runs as JUnit XML, for a course's CI");
    command->add_option("--points", w->points, "Points of a file, shared among its runs (default: one for each run)");
    command->add_option("--gradescope", w->gradescope, "Write Gradescope's results.json to FILE");
    command->add_option("--classroom50", w->classroom50, "Write Classroom 50's result.json to FILE, in its runner");
    command->add_flag("--annotations", w->annotations, "Also print what fails as GitHub's annotations, file and line")
        ->excludes(json)
        ->excludes(lines);
    refuse_empty_values(*command);
    command->callback([&action, w] { action = [w] { return check_files(*w); }; });
}

} // namespace warptree::commands
