// Short CUDA texts as programs, for tests of the lowering: Clang in process, over an in-memory file system with a short
// header. What the worker does with a whole file, its headers and its mistakes is tested elsewhere.
#pragma once

#include "app/compile/program.hpp"

#include <string>
#include <utility>
#include <vector>

namespace warptree::tests {

// Every __global__ function of the text, cleaned up and lowered. Throws Error with Clang's words when it does not compile.
// `macros` are defined for it.
compile::Program lower_snippet(const std::string& text,
                               const std::vector<std::pair<std::string, std::string>>& macros = {});
// The same for LLVM assembly. Functions of the calling convention ptx_kernel are its kernels.
compile::Program lower_assembly_text(const std::string& text);
// After clean_up(), as text.
std::string cleaned_up(const std::string& text);

} // namespace warptree::tests
