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

// Whether tests of every size, type and block try a few of them.
#if defined(WARPTREE_EMULATED)
inline constexpr bool kFewCases = true;
#else
inline constexpr bool kFewCases = kSanitized;
#endif

// All of a list of cases, or the few that stand for them.
template <class T> std::vector<T> sampled(std::vector<T> all, std::vector<T> few) { return kFewCases ? few : all; }

} // namespace warptree::tests
