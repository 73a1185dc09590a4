#include "app/run/check/grades.hpp"

#include "app/base/json_text.hpp"
#include "app/base/utf8.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

namespace warptree::runs {

namespace {
using Json = nlohmann::ordered_json;

std::uint64_t share(std::uint64_t points, std::size_t runs, std::size_t which) {
    return points / runs + (which < points % runs ? 1 : 0);
}

// Of all files, with their names where there are several.
std::vector<GradedTest> all_graded(const std::vector<CheckResult>& results, std::size_t runs, std::uint64_t points) {
    std::vector<GradedTest> all;
    for (const CheckResult& result : results) {
        for (GradedTest& test : graded(result, runs, points)) {
            if (results.size() > 1) {
                test.name = result.file + ": " + test.name;
            }
            all.push_back(std::move(test));
        }
    }
    return all;
}

// A value of a property ends at a comma, and its name at a colon.
std::string escaped(std::string_view text, bool property) {
    std::string out;
    for (const char c : valid_utf8(text)) {
        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','))) {
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        } else {
            out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
        }
    }
    return out;
}

std::string annotation(const std::string& file, std::uint32_t line, std::string_view title, std::string_view message) {
    return fmt::format("::error file={}{}{}::{}\n", escaped(file, true), line == 0 ? "" : fmt::format(",line={}", line),
                       title.empty() ? "" : fmt::format(",title={}", escaped(title, true)), escaped(message, false));
}

// A name as the source has it, from where the program was started.
std::string path_of(const CheckResult& result, const std::string& name) {
    return name.empty() ? result.file : (std::filesystem::path(result.file).parent_path() / name).string();
}
} // namespace

std::vector<GradedTest> graded(const CheckResult& result, std::size_t runs, std::uint64_t points) {
    std::vector<GradedTest> tests;
    std::uint64_t left = points;
    for (std::size_t i = 0; i < result.runs.size(); ++i) {
        const CheckRun& run = result.runs[i];
        GradedTest test{name_of(run),
                        run.pass,
                        0,
                        run.points != 0 ? run.points : share(points, std::max(runs, result.runs.size()), i),
                        run.reason,
                        run.hidden};
        test.points = run.pass ? test.most : 0;
        left -= std::min(left, test.most);
        if (result.counter_example == i) {
            test.output += "\n\n" + result.counter_example_report;
        }
        tests.push_back(std::move(test));
    }
    if (!result.reason.empty()) {
        tests.push_back(
            {result.runs.empty() && result.signal == 0 ? "compile" : "process", false, 0, left, result.reason});
    }
    return tests;
}

std::string gradescope_json(const std::vector<CheckResult>& results, std::size_t runs, std::uint64_t points) {
    Json tests = Json::array();
    for (const GradedTest& test : all_graded(results, runs, points)) {
        Json one{{"name", test.name},
                 {"status", test.pass ? "passed" : "failed"},
                 {"score", test.points},
                 {"max_score", test.most},
                 {"output", test.output}};
        if (test.hidden) {
            one["visibility"] = "hidden";
        }
        tests.push_back(std::move(one));
    }
    return json_text(Json{{"tests", std::move(tests)}}, 2) + "\n";
}

std::string classroom50_json(const std::vector<CheckResult>& results, std::size_t runs, std::uint64_t points,
                             const Classroom50& about) {
    std::uint64_t score = 0, most = 0;
    unsigned hidden = 0;
    Json tests = Json::array();
    for (const GradedTest& test : all_graded(results, runs, points)) {
        score += test.points;
        most += test.most;
        // Its readers are the students.
        Json one{{"test-name", test.hidden ? fmt::format("hidden case {}", ++hidden) : test.name},
                 {"passed", test.pass},
                 {"score", test.points},
                 {"max-score", test.most}};
        if (!test.output.empty() && !test.hidden) {
            one["output"] = test.output;
        }
        tests.push_back(std::move(one));
    }
    return json_text(Json{{"schema", "classroom50/result/v1"},
                          {"classroom", about.classroom},
                          {"assignment", about.assignment},
                          {"submission", about.submission},
                          {"commit", about.commit},
                          {"release", about.release},
                          {"review", about.review},
                          {"datetime", about.datetime},
                          {"score", score},
                          {"max-score", most},
                          {"tests", std::move(tests)}},
                     2) +
           "\n";
}

std::string annotations(const CheckResult& result) {
    std::string out;
    for (const compile::Diagnostic& d : result.diagnostics) {
        if (d.severity == compile::Diagnostic::Severity::error) {
            out += annotation(path_of(result, d.file), d.line, "", d.message);
        }
    }
    if (!result.reason.empty()) {
        return out.empty() ? annotation(result.file, 0, "", result.reason) : out;
    }
    std::set<std::string> told;
    for (const CheckRun& run : result.runs) {
        for (const CheckFinding& f : run.findings) {
            if (!run.pass && !run.hidden && f.severity == "fault" &&
                told.insert(fmt::format("{} {} {}", f.kind, f.line, f.file)).second) {
                out += annotation(path_of(result, f.file), f.line, f.title, name_of(run) + ": " + f.text);
            }
        }
    }
    if (out.empty() && result.counter_example) {
        const CheckRun& run = result.runs[*result.counter_example];
        out = annotation(result.file, 0, "", name_of(run) + ": " + run.reason);
    }
    if (out.empty() && !result.pass) {
        out = annotation(result.file, 0, "", "a hidden case fails");
    }
    return out;
}

} // namespace warptree::runs
