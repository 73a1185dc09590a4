// What the interpreter finds out about a kernel file, on few elements, before a GPU is to run it.
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
    std::map<std::string, double> reached; // elements of an array for each of n
    std::uint64_t depth = 0;               // of a tree over n elements, at most
};

// Elements that launches of a trace reached of an array, for each of n.
std::map<std::string, double> reached_in(const Trace& trace);

// `insist`: what goes wrong is no refusal.
Interpreted interpreted_first(const RunOptions& asked, bool insist);

} // namespace warptree::runs
