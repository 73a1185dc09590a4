// Checks whole programs: each submission is run once for each case, and judged by its exit code, by what it prints and by
// what is found in it.
#pragma once

#include "app/run/check/check.hpp"

#include <string>
#include <string_view>

namespace warptree::runs {

// Runs the request's file in each case of request.program. Throws only Cancelled. `tell` is called after each run.
CheckResult check_program(const CheckRequest& request, RunControl& control,
                          const std::function<void(const CheckRun&)>& tell);

// The cases that a course's text states, a line each, and the points of all together (0: not stated):
//   // case: 1000 data.txt | name large | points 5 | hidden | stdout ^TEST PASS$ | exit 0
//   // points: 20
// Throws OptionError, which names the line.
ProgramCheck stated_cases(std::string_view text, const std::string& file);

// Words at blanks; those in double quotes are one.
std::vector<std::string> words_of(std::string_view text);

// Throws OptionError if it is no regular expression.
void check_pattern(const std::string& pattern);

} // namespace warptree::runs
