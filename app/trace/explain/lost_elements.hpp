// Elements that a reduction combines and then leaves out of its results.
#pragma once

#include "app/trace/model/trace.hpp"

#include <optional>

namespace warptree {

// Of a launch that stores at most one result a block: a risk at the line that combines the first of them last. Of the blocks that
// are traced. nullopt: each element that is combined reaches a result, the launch is no reduction, or it has a
// fault, which may be why.
std::optional<Finding> lost_elements(const Launch& launch);

} // namespace warptree
