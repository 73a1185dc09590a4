// What a run in the interpreter, on few elements, shows about a kernel file before a GPU runs it.
#pragma once

#include "app/base/options.hpp"
#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warptree::runs {

struct Interpreted {
    std::string refusal; // what goes wrong; empty: nothing
    RunOptions options;
    std::vector<KernelOutput> outputs;
    std::map<std::string, double> reached; // elements reached in an array, per element of n
    std::uint64_t depth = 0;               // upper bound for the tree over n elements
};

// By array: the elements that a trace's first launch reached, per element of n.
std::map<std::string, double> reached_in(const Trace& trace);

// `insist`: findings and wrong results do not cause a refusal.
Interpreted interpreted_first(const RunOptions& asked, bool insist);

} // namespace warptree::runs
