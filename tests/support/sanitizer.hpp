// What a build with sanitizers, or one that is run under an emulator, leaves out: it is slower by far, and looks at our
// code rather than at the results.
#pragma once

#include <cstddef>
#include <vector>

// Of AddressSanitizer's runtime. Test code itself is compiled without: the program may still be linked with it.
extern "C" [[gnu::weak]] void __asan_init(); // NOLINT(*-reserved-identifier)

namespace warptree::tests {

inline const bool kSanitized = __asan_init != nullptr;

// Under qemu-user, which answers for signals, limits of memory and programs that do not start.
#if defined(WARPTREE_EMULATED)
inline constexpr bool kEmulated = true;
#else
inline constexpr bool kEmulated = false;
#endif

// Whether tests of every size, type and block try a few of them.
inline const bool kFewCases = kSanitized || kEmulated;

// All of a list of cases, or the few that stand for them.
template <class T> std::vector<T> sampled(std::vector<T> all, std::vector<T> few) { return kFewCases ? few : all; }

} // namespace warptree::tests
