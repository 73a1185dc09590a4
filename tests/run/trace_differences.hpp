// What two traces of one run say differently: results, launches, steps and their counters, who is active, requests, barriers
// and the tree. How steps are called is the source's own business and not compared.
#pragma once

#include "app/trace/model/trace.hpp"

#include <string>
#include <vector>

namespace warptree::tests {

struct Difference {
    // "result", "partials", "grid", "shared", "steps", "counters", "warps", "requests", "barriers", "tree", "totals"; "moved":
    // the same requests, in other steps. Where the steps are others, counters are compared over all of them.
    std::string what;
    std::string text;
};
std::vector<Difference> differences(const Trace& golden, const Trace& other);

} // namespace warptree::tests
