// Compiles short CUDA texts for tests of the lowering: Clang in this process, on an in-memory file system with a short
// header. How the worker handles whole files, their headers and their errors is tested elsewhere.
#pragma once

#include "app/compile/program/program.hpp"

#include <string>
#include <utility>
#include <vector>

namespace warptree::tests {

// Every __global__ function of the text, cleaned up and lowered. Throws Error with Clang's message if it does not
// compile. `macros` are defined for it.
compile::Program lower_snippet(const std::string& text,
                               const std::vector<std::pair<std::string, std::string>>& macros = {});
// The same for LLVM assembly. Functions with the calling convention ptx_kernel are its kernels.
compile::Program lower_assembly_text(const std::string& text);
// The text after clean_up().
std::string cleaned_up(const std::string& text);

} // namespace warptree::tests
