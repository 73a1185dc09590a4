// The smallest n, and then the smallest block, for which a kernel file goes wrong.
#pragma once

#include "app/base/options.hpp"

#include <cstdint>
#include <string>

namespace warptree::runs {

struct SmallestFailure {
    std::uint64_t n = 0;
    bool of_all = false; // no smaller one goes wrong; else n - 1 does not, but of those below it not all were tried
    std::string block;
    std::string reason;       // why that run fails; empty: none of those tried does
    std::uint64_t most_n = 0; // the largest n that was tried
    bool compared = false;    // results were compared with what is expected; else only findings count
};

// Of the file with these options in blocks of `block`, as "256"; blocks of fewer threads are tried at the n that fails, and
// taken where they fail for the same reason, but not for every n.
// Throws Cancelled, and OptionError for a file that does not compile.
SmallestFailure smallest_failure(const RunOptions& options, const std::string& block, RunControl& control);

} // namespace warptree::runs
