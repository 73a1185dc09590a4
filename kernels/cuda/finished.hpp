// Real kernels beyond those of the kernel table, for timing: strategies that leave the finish open, with an atomic one
// and with one in the last block; and vectorized with max and min. i32, f32 and f64; blocks of 32 to 1024 where the
// block is a template argument.
#pragma once

#include "kernels/cuda/kernel_table.hpp"

#include <string_view>

namespace warptree::cuda {

// The kernel for one launch under `finish`, from here or from the kernel table; nullptr when it is not compiled.
RealLauncher real_launcher(std::string_view id, ElementType type, Operator op, Finish finish, std::uint32_t block);

} // namespace warptree::cuda
