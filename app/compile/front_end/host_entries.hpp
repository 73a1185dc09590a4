// Functions of the host that launch kernels, which can stand for a main that a file does not have.
#pragma once

#include "app/compile/program/program.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <vector>

namespace warptree::compile {

// `functions`: those with a body that the file and its own headers define, in order.
std::vector<HostEntry> entries_of(clang::ASTContext& context, const std::vector<clang::FunctionDecl*>& functions);

} // namespace warptree::compile
