// Decides what errors stop. Host code is only parsed, with declarations of our own instead of the real headers, so an error
// there means little: it is reported as a warning, and device code is compiled. An error in a function of the device stops
// that function and those that need it.
#pragma once

#include "app/compile/front_end/broken.hpp"
#include "app/compile/front_end/diagnostics.hpp"
#include "app/compile/front_end/facts.hpp"

#include <clang/AST/ASTContext.h>

#include <set>
#include <string>
#include <vector>

namespace warptree::compile {

struct Verdict {
    bool stops = false;          // the whole file
    Functions broken;            // these functions, and what needs them
    std::set<std::string> names; // of variables and types with errors, and of those made of them
};

// Turns errors that device code does not depend on into warnings.
Verdict judge(std::vector<Finding>& findings, const clang::ASTContext& context,
              const std::vector<clang::Decl*>& declarations, const FileFacts& facts);

// The error that broke a function; null: none is known.
const Finding* reason_of(const std::vector<Finding>& findings, const clang::FunctionDecl* function);

// Turns the errors that are left into warnings, as they stop only some functions.
void excuse(std::vector<Finding>& findings);

} // namespace warptree::compile
