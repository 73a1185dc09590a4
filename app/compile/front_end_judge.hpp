// Which errors stop a file. Host code is only parsed, with declarations of our own in place of the real headers, so that
// an error there says little: it is told as a warning, and the device code goes on.
#pragma once

#include "app/compile/front_end_diagnostics.hpp"
#include "app/compile/front_end_facts.hpp"

#include <clang/AST/ASTContext.h>

#include <vector>

namespace warptree::compile {

// Makes warnings of the errors that device code does not depend on. True when an error is left.
bool judge(std::vector<Finding>& findings, const clang::ASTContext& context,
           const std::vector<clang::Decl*>& declarations, bool device_code_has_errors);

} // namespace warptree::compile
