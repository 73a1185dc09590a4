// The findings of all launches as they are told: what later launches of a kernel have again, as in a loop, with the first of
// them; of many races on one array the first few, with how many there are.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace warptree {

struct ToldFinding {
    std::size_t launch = 0;
    const Finding* finding = nullptr;    // of the trace
    std::size_t again = 0;               // later launches that have it, too
    std::vector<const Finding*> repeats; // theirs
    std::vector<const Finding*> alike;   // further races on its array
};

// In the order of launches and of their findings. The trace must outlive it.
std::vector<ToldFinding> told_findings(const Trace& trace);

// In which launch each is told.
std::map<const Finding*, std::size_t> told_in(const std::vector<ToldFinding>& all);

// " (and again in 2 later launches; and 24 more races on s in lines 3 to 7)"; empty: nothing more.
std::string said_besides(const Trace& trace, const ToldFinding& told);

} // namespace warptree
