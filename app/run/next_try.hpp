// Another launch, where nobody said how a kernel is launched and what the program chose cannot have been meant: a block
// larger than the kernel's own arrays, less shared memory than it reaches, more elements than it ever gets through.
#pragma once

#include "app/run/kernel_launch.hpp"
#include "app/trace/model/execution.hpp"

#include <optional>

namespace warptree::runs {

inline constexpr std::uint64_t kFewestElements = 4; // that are tried where more do not come to an end

// `launch` was chosen with `now` and ended by `finding`. Nothing: no other choice is likely to do better.
std::optional<Adjusted> next_try(const compile::Program& program, const KernelLaunch& launch, const Adjusted& now,
                                 const Finding& finding);

} // namespace warptree::runs
