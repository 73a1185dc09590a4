// Launches in host code: a kernel's block size, if it is a constant.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace warptree::compile {

using BlockSize = std::array<std::uint32_t, 3>;

// By canonical declaration of the kernel: threads per block of its first launch whose block is a constant. A variable
// that is never modified counts as one.
std::map<const clang::FunctionDecl*, BlockSize> launched_blocks(clang::ASTContext& context,
                                                                const std::vector<clang::Decl*>& declarations);

} // namespace warptree::compile
