// How two traces of one run differ: results, launches, steps and their counters, active lanes, requests, barriers and
// the tree. Step names depend on the source and are not compared.
#pragma once

#include "app/trace/model/trace.hpp"

#include <string>
#include <vector>

namespace warptree::tests {

struct Difference {
    // "result", "partials", "grid", "shared", "steps", "counters", "warps", "requests", "barriers", "tree", "totals";
    // "moved": the same requests, in other steps. If the steps differ, counters are compared in total.
    std::string what;
    std::string text;
};
std::vector<Difference> differences(const Trace& golden, const Trace& other);

} // namespace warptree::tests
