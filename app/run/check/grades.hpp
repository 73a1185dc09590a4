// Results of checks as a course's grader takes them.
#pragma once

#include "app/run/check/check.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warptree::runs {

// A test of a file: one of its runs, or what kept them from being done.
struct GradedTest {
    std::string name; // "n 33, block 256, in-order"; "compile", "process"
    bool pass = false;
    std::uint64_t points = 0, most = 0;
    std::string output; // why it fails, with the counter-example's report
    bool hidden = false;
};

// `points`, whole ones, shared among the runs that were asked for, unless they state their own, the first ones having one more where they do not come
// out even. Those that were not done are one test without points.
std::vector<GradedTest> graded(const CheckResult& result, std::size_t runs, std::uint64_t points);

// Gradescope's results.json. Of several files each test says whose it is.
std::string gradescope_json(const std::vector<CheckResult>& results, std::size_t runs, std::uint64_t points);

// What Classroom 50's runner says of a submission, by its environment.
struct Classroom50 {
    std::string classroom, assignment, submission, commit, release, review, datetime; // the last: UTC, ISO 8601
};
// Classroom 50's result.json, of the schema classroom50/result/v1.
std::string classroom50_json(const std::vector<CheckResult>& results, std::size_t runs, std::uint64_t points,
                             const Classroom50& about);

// GitHub's annotations, a line each: ::error file=,line=,title=::message. Of a file that does not compile its errors; of
// one that fails the faults that were found, each place once, or, without any, the smallest run that fails.
std::string annotations(const CheckResult& result);

} // namespace warptree::runs
