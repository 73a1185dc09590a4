// What a whole run adds up to, beside what its steps do.
#pragma once

#include "app/views/views.hpp"

#include <string>
#include <vector>

namespace warptree::scene {

struct RunTotals {
    std::vector<Fact> facts; // combines, wavefronts against ideal, sectors, barriers, …: those that the run has
    std::string limit;       // what exceeds its ideal most; empty: nothing combines
};
RunTotals totals(const Trace& trace);

} // namespace warptree::scene
