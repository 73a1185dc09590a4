// LLVM's numbers of NVPTX's address spaces. Source: User Guide for NVPTX Back-end, "Address Spaces".
#pragma once

namespace warptree::compile {

inline constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3, kConstantSpace = 4, kLocalSpace = 5;

} // namespace warptree::compile
