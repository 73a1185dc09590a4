// The options that kernel files are compiled with.
#pragma once

#include <clang/Frontend/CompilerInvocation.h>

#include <memory>
#include <string>
#include <string_view>

namespace warptree::compile {

// The header that nvcc includes first, and the one that cannot be precompiled with it.
inline constexpr std::string_view kPrelude = "/warptree/warptree/prelude.h", kAfterPrelude = "/warptree/warptree/new.h";

// Options for compiling the file `main` after the precompiled prelude, with headers of further folders.
std::shared_ptr<clang::CompilerInvocation> invocation_of(const std::string& main,
                                                         const std::vector<std::string>& folders);
// Options for precompiling the prelude.
std::shared_ptr<clang::CompilerInvocation> invocation_of_prelude();

// What both have in common, one a line.
std::string all_options();

} // namespace warptree::compile
