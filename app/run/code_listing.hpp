// What the compilers make of a kernel file, to be read beside it. No GPU is needed.
#pragma once

#include "app/base/options.hpp"
#include "app/measure/code/recording.hpp"

#include <string>

namespace warptree::runs {

// The architecture of the GPU at hand, else "sm_90".
std::string listed_architecture();

// Of the kernel that the options' first launch calls: PTX by NVRTC, without it by LLVM -O3; SASS of NVRTC's code where
// nvdisasm is here. What cannot be had is empty and says why. Throws SourceError, CompileError, OptionError, FileError.
code::Disassembly disassemble(const RunOptions& options, const std::string& architecture);

// The same, but what was recorded of a strategy (null: nothing) where it is of this text, kernel and type, and in place of
// what cannot be had.
code::Disassembly disassemble(const RunOptions& options, const std::string& architecture,
                              const code::Recording* recorded);

} // namespace warptree::runs
