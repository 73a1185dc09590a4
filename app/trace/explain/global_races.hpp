// Who takes part in the races on global memory that a launch's findings tell of, each by its first occurrence.
#pragma once

#include "app/trace/model/trace.hpp"

#include <compare>
#include <cstdint>
#include <vector>

namespace warptree {

struct RacingAccess {
    std::uint32_t block = 0;
    std::uint16_t step = 0, thread = 0;
    std::uint16_t allocation = 0;
    std::uint32_t index = 0; // of the request: in units of its bytes
    friend auto operator<=>(const RacingAccess&, const RacingAccess&) = default;
};

// In the lines of such a finding: accesses of an element by several threads in one step of a block, or by several blocks, at
// least one of them a store. Sorted, each once.
std::vector<RacingAccess> global_races(const Launch& launch);

} // namespace warptree
