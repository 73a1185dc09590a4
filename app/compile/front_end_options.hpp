// How Clang is called, and our headers as it has already read them.
#pragma once

#include <clang/Frontend/CompilerInvocation.h>

#include <memory>
#include <string>
#include <string_view>

namespace warptree::compile {

// What nvcc includes before everything, and its precompiled form.
inline constexpr std::string_view kPrelude = "/warptree/warptree/prelude.h", kPrecompiled = "/warptree/prelude.pch";

// To compile the file `main` after the precompiled prelude.
std::shared_ptr<clang::CompilerInvocation> invocation_of(const std::string& main);

// Made at the first call. Throws CompileError when a header of ours has an error.
const std::string& precompiled_prelude();

} // namespace warptree::compile
