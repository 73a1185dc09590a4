// What phases are called.
#pragma once

#include "app/trace/model/phase.hpp"

#include <string>

namespace warptree {

// The label of a stage: "s = 4", "up-sweep, s = 4", "look back 2".
std::string stage_label(Phase phase, std::uint32_t stride);
// "up-sweep"; empty for none.
const char* title(Phase phase);

} // namespace warptree
