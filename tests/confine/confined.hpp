// A child that is confined and then tries something.
#pragma once

#include "app/confine/confine.hpp"

#include <functional>
#include <string>
#include <sys/types.h>

namespace warptree::tests {

struct Ended {
    int code = -1;   // exit code
    int signal = 0;  // or the signal that ended it
    std::string out; // what it wrote to its standard error, where refused calls are told
};

// `attempt` runs in a child of its own, after confine(policy), and returns the exit code.
Ended confined(const confine::Policy& policy, const std::function<int()>& attempt);

// Ends the child with what went wrong: 0, or errno.
int outcome(long result);

} // namespace warptree::tests
