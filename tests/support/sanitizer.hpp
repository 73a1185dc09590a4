// What tests leave out with sanitizers or under an emulator: these builds are much slower, and check our code rather
// than the results.
#pragma once

#include <cstddef>
#include <vector>

// Part of AddressSanitizer's runtime. Test code is compiled without it, but the program may still be linked with it.
extern "C" [[gnu::weak]] void __asan_init(); // NOLINT(*-reserved-identifier)

namespace warptree::tests {

inline const bool kSanitized = __asan_init != nullptr;

// Under qemu-user, which itself handles signals, memory limits and programs that fail to start.
#if defined(WARPTREE_EMULATED)
inline constexpr bool kEmulated = true;
#else
inline constexpr bool kEmulated = false;
#endif

// Whether tests of every size, type and block try only a few.
inline const bool kFewCases = kSanitized || kEmulated;

// All cases of a list, or a few representative ones.
template <class T> std::vector<T> sampled(std::vector<T> all, std::vector<T> few) { return kFewCases ? few : all; }

} // namespace warptree::tests
