// Proposes another launch if the program's own choice cannot be what the kernel expects: a block larger than its
// arrays, less shared memory than it accesses, more elements than it can finish. What the user, the header or the file's
// own launch states is never replaced.
#pragma once

#include "app/run/kernel_launch.hpp"
#include "app/trace/model/execution.hpp"

#include <optional>

namespace warptree::runs {

inline constexpr std::uint64_t kFewestElements = 4; // tried when more do not finish

// `launch` was chosen with `now` and ended by `finding`. nullopt: no other choice is likely to do better. `expects`: a result is
// expected, so what went wrong may be the kernel's fault, and only a block larger than its arrays is another choice.
std::optional<Adjusted> next_try(const compile::Program& program, const KernelLaunch& launch, const Adjusted& now,
                                 const Finding& finding, bool expects);

} // namespace warptree::runs
