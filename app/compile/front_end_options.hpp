// Clang's options, and our headers in precompiled form.
#pragma once

#include <clang/Frontend/CompilerInvocation.h>

#include <clang/Frontend/CompilerInstance.h>

#include <memory>
#include <string>
#include <string_view>

namespace warptree::compile {

// The header that nvcc includes first, its precompiled form, and the header that cannot be precompiled with it.
inline constexpr std::string_view kPrelude = "/warptree/warptree/prelude.h", kPrecompiled = "/warptree/prelude.pch",
                                  kAfterPrelude = "/warptree/warptree/new.h";

// Options for compiling the file `main` after the precompiled prelude.
std::shared_ptr<clang::CompilerInvocation> invocation_of(const std::string& main);

// Makes `compiler`, whose file system has the precompiled prelude, read it before its file.
void read_prelude(clang::CompilerInstance& compiler);

// Built on the first call. Throws CompileError when a header of ours has an error.
const std::string& precompiled_prelude();

} // namespace warptree::compile
