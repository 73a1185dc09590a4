// Whether this program is built with AddressSanitizer, which maps most of the address space, opens /proc/self/maps and
// keeps account of what is allocated.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define WARPTREE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WARPTREE_SANITIZED 1
#endif
#endif
#ifndef WARPTREE_SANITIZED
#define WARPTREE_SANITIZED 0
#endif

namespace warptree {

inline constexpr bool kSanitized = WARPTREE_SANITIZED != 0;

} // namespace warptree
