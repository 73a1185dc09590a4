// Variables of the device that host code names as if they were its own. The host has something of that name, too, for
// cudaMemcpyToSymbol and its like; what is read there is not what kernels store.
#pragma once

#include "app/compile/program/program.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <vector>

namespace warptree::compile {

// In the order of the text. `functions`: those with a body that the file and its own headers define.
std::vector<HostTouch> touches_of(clang::ASTContext& context, const std::vector<clang::FunctionDecl*>& functions);

} // namespace warptree::compile
