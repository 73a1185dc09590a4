// The code that compilers generate from a kernel file, for display beside it. No GPU is needed.
#pragma once

#include "app/base/options.hpp"
#include "app/measure/code/recording.hpp"

#include <string>

namespace warptree::runs {

// The architecture of this machine's GPU, else "sm_90".
std::string listed_architecture();

// For the kernel of the first launch: PTX by NVRTC, or without it by LLVM -O3; SASS of NVRTC's code if
// nvdisasm is installed. A missing one is empty and says why. Throws SourceError, CompileError, OptionError, FileError.
code::Disassembly disassemble(const RunOptions& options, const std::string& architecture);

// The same, but a strategy's recording (null: none) is used if it is of this text, kernel and type, or for listings
// that cannot be made.
code::Disassembly disassemble(const RunOptions& options, const std::string& architecture,
                              const code::Recording* recorded);

} // namespace warptree::runs
