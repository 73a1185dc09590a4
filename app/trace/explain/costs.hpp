// What is right, but slow: lines whose accesses take several times what would do.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warptree {

// The fewest sectors that could hold what the lanes of a request of global memory use. One more is no fault: what they use may lie
// across the bounds of a sector.
std::uint64_t fewest_sectors(const Launch& launch, const Request& request);

struct SectorUse {
    std::uint64_t touched = 0, fewest = 0;
};
// Of the traced blocks' loads or stores of global memory in a step; kNone: in all.
SectorUse sector_use(const Launch& launch, AccessKind kind, std::uint32_t step = kNone);

struct LineCost {
    SourceLine line;
    std::string text; // "line 9: bank conflicts: 1024 wavefronts where 32 would do"
};
// Of the blocks that are traced, the most costly accesses first, three at most; then divergence, atomics and barriers.
std::vector<LineCost> line_costs(const Trace& trace);
// The texts alone.
std::vector<std::string> costs(const Trace& trace);

} // namespace warptree
