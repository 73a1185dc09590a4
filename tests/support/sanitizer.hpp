// What a build with sanitizers, or one that is run under an emulator, leaves out: it is slower by far, and looks at our
// code rather than at the results.
#pragma once

#include <cstddef>
#include <vector>

namespace warptree::tests {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// Under qemu-user, which answers for signals, limits of memory and programs that do not start.
#if defined(WARPTREE_EMULATED)
inline constexpr bool kEmulated = true;
#else
inline constexpr bool kEmulated = false;
#endif

// Whether tests of every size, type and block try a few of them.
inline constexpr bool kFewCases = kSanitized || kEmulated;

// All of a list of cases, or the few that stand for them.
template <class T> std::vector<T> sampled(std::vector<T> all, std::vector<T> few) { return kFewCases ? few : all; }

} // namespace warptree::tests
