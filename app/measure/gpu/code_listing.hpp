// The code that compilers generate from a kernel file, for display beside it. No GPU is needed.
#pragma once

#include "app/base/options.hpp"
#include "app/measure/code/recording.hpp"
#include "app/run/kernel_source.hpp"

#include <string>

namespace warptree::runs {

// The architecture of this machine's GPU, else "sm_90".
std::string listed_architecture();

// For the kernel of the first launch: PTX from NVRTC, or else from LLVM -O3; SASS of NVRTC's code if nvdisasm is
// installed. A missing listing is empty, with the reason. Throws SourceError, CompileError, OptionError, FileError.
code::Disassembly disassemble(const RunOptions& options, const std::string& architecture);

// The same, but uses a strategy's recording (null: none) if it matches text, kernel, type and architecture, or for
// listings that cannot be generated.
code::Disassembly disassemble(const RunOptions& options, const std::string& architecture,
                              const code::Recording* recorded);

// PTX, and SASS where nvdisasm is, of this kernel by NVRTC for made.architecture. Throws NoCompiler, RtcError.
void list_by_nvrtc(code::Disassembly& made, const KernelSource::Compiled& from);

} // namespace warptree::runs
