// Headers that kernels include and NVRTC lacks: the parts of the standard library that device code uses, and empty
// stand-ins for headers that only host code uses.
#pragma once

#include <span>

namespace warptree::gpu {

struct RtcHeader {
    const char *name, *text;
};
std::span<const RtcHeader> nvrtc_headers();

// Pre-included in every text.
inline constexpr const char* kRtcPrelude = "warptree_nvrtc.h";

} // namespace warptree::gpu
