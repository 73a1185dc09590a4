// One launch, as a GPU is asked for it.
#pragma once

#include "app/base/elements.hpp"
#include "app/base/options.hpp"

namespace warptree {

struct LaunchRequest {
    const RunOptions& options; // resolved
    const Elements& input;
};
inline LaunchRequest make_launch(const RunOptions& options, const Elements& input) { return {options, input}; }

} // namespace warptree
