// Decides which errors stop a file. Host code is only parsed, with declarations of our own instead of the real headers,
// so an error there means little: it is reported as a warning, and device code is compiled.
#pragma once

#include "app/compile/front_end_diagnostics.hpp"
#include "app/compile/front_end_facts.hpp"

#include <clang/AST/ASTContext.h>

#include <vector>

namespace warptree::compile {

// Turns errors that device code does not depend on into warnings. True if an error is left.
bool judge(std::vector<Finding>& findings, const clang::ASTContext& context,
           const std::vector<clang::Decl*>& declarations, bool device_code_has_errors);

} // namespace warptree::compile
