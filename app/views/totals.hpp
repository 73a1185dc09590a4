// What a whole run adds up to, beside what its steps do.
#pragma once

#include "app/trace/explain/costs.hpp"
#include "app/views/views.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warptree::scene {

struct RunTotals {
    std::vector<Fact> facts; // combines, wavefronts against ideal, sectors, barriers, …: those that the run has
    std::string limit;       // what exceeds its ideal most; empty: nothing combines
};
RunTotals totals(const Trace& trace);

// Beside a number of sectors: "ideal 512", or where not all blocks are traced "2.5 times the ideal"; "128 requests": they are ideal.
std::string sectors_note(const SectorUse& use, bool whole, std::uint64_t requests);

} // namespace warptree::scene
