// What kernels include that NVRTC has not: the parts of the standard library that device code uses, and the names of headers
// of which only the host uses something.
#pragma once

#include <span>

namespace warptree::gpu {

struct RtcHeader {
    const char *name, *text;
};
std::span<const RtcHeader> nvrtc_headers();

// The one that comes before every text.
inline constexpr const char* kRtcPrelude = "warptree_nvrtc.h";

} // namespace warptree::gpu
