// nvdisasm, the CUDA toolkit's disassembler, if installed.
#pragma once

#include "app/gpu/errors.hpp"

#include <string>
#include <string_view>

namespace warptree::gpu {

// $WARPTREE_NVDISASM, else on PATH or in CUDA's default locations; empty: not found.
std::string nvdisasm();

// The machine code of a cubin with its source lines, as `nvdisasm -gi -c` prints it. Throws DeviceError, and FileError where no
// temporary file can be written.
std::string disassemble(std::string_view cubin);

} // namespace warptree::gpu
