// Math functions for code that traces on a GPU: LLVM has instructions for few, and CUDA's libdevice is part of its toolkit
// only. libclc, LLVM's library for OpenCL, has them in double precision.
#pragma once

#include <llvm/IR/Module.h>

#include <string>

namespace warptree::compile {

// Whether the function is one of libdevice's that has no instruction and no body: its values are a library's, and may differ
// from the machine's in the last bits.
bool of_math_library(const llvm::Function& function);

// Gives those functions of the module bodies: float as double, rounded. Returns why that is impossible; empty: done.
std::string link_math(llvm::Module& module);

} // namespace warptree::compile
