// Leaves functions that have errors out of the module, with all that may call them, so that the other kernels of the file
// run.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace warptree::compile {

using Functions = std::set<const clang::FunctionDecl*>; // canonical declarations

// Whether the text of a declaration has one of these names, other than as its own.
bool mentions(const clang::Decl* declaration, const std::set<std::string>& names);

// Adds what Clang instantiated from a broken template, and takes the bodies away, so that no code is generated for them.
void remove_bodies(Functions& broken, const std::vector<clang::FunctionDecl*>& all);

// In the order of the text.
std::vector<const clang::FunctionDecl*> in_order(const Functions& functions);

// Removes the code of every function that may call a broken one. The result is by the function's symbol: a broken function
// that it needs.
std::map<std::string, const clang::FunctionDecl*> remove_callers(clang::CodeGenerator& generator,
                                                                 const Functions& broken);

} // namespace warptree::compile
