// CUDA's disassembler, a program of the toolkit, if installed.
#pragma once

#include "app/gpu/errors.hpp"

#include <string>
#include <string_view>

namespace warptree::gpu {

// $WARPTREE_NVDISASM, else on PATH or in CUDA's usual places; empty: there is none.
std::string nvdisasm();

// The machine code of a cubin with its source lines, as `nvdisasm -gi -c` prints it. Throws DeviceError.
std::string disassemble(std::string_view cubin);

} // namespace warptree::gpu
