// Why a step's accesses of global memory touch more sectors than hold what they use.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <string>

namespace warptree::scene {

// " Lanes load from addresses 7 words apart: 28 sectors a request where 4 would do.", of the traced requests of which most lie
// equally far apart; empty: none is wasteful, or their lanes are not at equal distances.
std::string sector_reason(const Launch& launch, std::uint32_t step);

} // namespace warptree::scene
