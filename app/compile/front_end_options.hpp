// Clang's options, and our headers in precompiled form.
#pragma once

#include <clang/Frontend/CompilerInvocation.h>

#include <clang/Frontend/CompilerInstance.h>

#include <memory>
#include <string>
#include <string_view>

namespace warptree::compile {

// What nvcc includes before everything, its precompiled form, and what cannot be part of that.
inline constexpr std::string_view kPrelude = "/warptree/warptree/prelude.h", kPrecompiled = "/warptree/prelude.pch",
                                  kAfterPrelude = "/warptree/warptree/new.h";

// To compile the file `main` after the precompiled prelude.
std::shared_ptr<clang::CompilerInvocation> invocation_of(const std::string& main);

// Puts the precompiled prelude before the file that `compiler` begins; its file system has it.
void read_prelude(clang::CompilerInstance& compiler);

// Built on the first call. Throws CompileError when a header of ours has an error.
const std::string& precompiled_prelude();

} // namespace warptree::compile
