// What a build with sanitizers leaves out: it is slower by far, and looks at our code rather than at the results.
#pragma once

#include <cstddef>
#include <vector>

namespace warptree::tests {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// All of a list of cases, or the few that stand for them under a sanitizer.
template <class T> std::vector<T> sampled(std::vector<T> all, std::vector<T> few) { return kSanitized ? few : all; }

} // namespace warptree::tests
