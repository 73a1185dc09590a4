// Results of checks as documents, for a course's CI, and as lines from one process to another.
#pragma once

#include "app/run/check/check.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warptree::runs {

// Both complete, well formed and UTF-8 whatever is in names and texts.
std::string check_json(const std::vector<CheckResult>& results);
std::string check_junit(const std::vector<CheckResult>& results);
// One file of check_json(), as one line.
std::string check_json_line(const CheckResult& result);

// What the process of a submission tells: a line for each run, and at last one for the rest.
std::string line_of(const CheckRun& run);
std::string last_line_of(const CheckResult& result);
// Takes over what such a line tells; true: it was the last one. Throws OptionError if it is none.
bool take_line(std::string_view line, CheckResult& result);

} // namespace warptree::runs
