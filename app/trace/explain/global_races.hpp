// Who takes part in the races on global memory that a launch's findings tell of, each by its first occurrence.
#pragma once

#include "app/trace/model/trace.hpp"

#include <compare>
#include <cstdint>
#include <tuple>
#include <vector>

namespace warptree {

struct RacingAccess {
    std::uint32_t block = 0;
    std::uint16_t step = 0, thread = 0;
    std::uint16_t allocation = 0;
    std::uint32_t index = 0; // of the request: in units of its bytes
    friend bool operator==(const RacingAccess&, const RacingAccess&) = default;
    friend bool operator<(const RacingAccess& a, const RacingAccess& b) {
        return std::tie(a.block, a.step, a.thread, a.allocation, a.index) <
               std::tie(b.block, b.step, b.thread, b.allocation, b.index);
    }
};

// In the lines of such a finding: accesses of an element by several threads in one step of a block, or by several blocks, at
// least one of them a store. Sorted, each once.
std::vector<RacingAccess> global_races(const Launch& launch);

} // namespace warptree
