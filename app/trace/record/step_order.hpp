// The order of steps that different warps ran in turn, with no barrier between.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace warptree::record {

// Orders 0 … count - 1, as close to their own order as may be: of each warp the steps stay in their order, and of `ran` the
// first comes before the second. A pair of `ran` that contradicts the others is left out.
// warps: by warp, its steps, ascending.
std::vector<std::uint32_t> order_as_run(std::uint32_t count, const std::vector<std::vector<std::uint32_t>>& warps,
                                        std::span<const std::pair<std::uint32_t, std::uint32_t>> ran);

} // namespace warptree::record
