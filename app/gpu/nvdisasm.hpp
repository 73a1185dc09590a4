// CUDA's disassembler, a program of the toolkit, where there is one.
#pragma once

#include "app/gpu/errors.hpp"

#include <string>
#include <string_view>

namespace warptree::gpu {

// $WARPTREE_NVDISASM, else on PATH or in CUDA's usual places; empty: there is none.
std::string nvdisasm();

// The machine code of a cubin with the lines it came from, as `nvdisasm -gi -c` prints it. Throws DeviceError.
std::string disassemble(std::string_view cubin);

} // namespace warptree::gpu
