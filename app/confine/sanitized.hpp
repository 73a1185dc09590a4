// Whether this program is built with AddressSanitizer, which maps most of the address space and opens /proc/self/maps.
#pragma once

namespace warptree::confine {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

} // namespace warptree::confine
