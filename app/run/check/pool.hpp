// Checks many files, each in a confined process of its own: none can lose another one's result.
#pragma once

#include "app/run/check/check.hpp"

#include <functional>
#include <string>
#include <vector>

namespace warptree::runs {

// What is told while they run, in the order of the files, whichever is done first.
struct CheckListener {
    std::function<void(const std::string& file, const CheckRun&)> run; // may be empty, like the other
    std::function<void(const CheckResult&)> done;
};

// A result for each file, in their order. `jobs` at a time; 0: as many as there are cores. After control.cancel the
// processes are ended, and what was not done says so. Call it from the one thread of this process that there is then:
// it forks. Throws Error when the system has no process to give, and what the listener throws.
std::vector<CheckResult> check_all(const CheckRequest& request, const std::vector<std::string>& files, unsigned jobs,
                                   RunControl& control, const CheckListener& listener);

} // namespace warptree::runs
