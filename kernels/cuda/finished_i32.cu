#include "all_strategies.hpp"
#include "kernels/cuda/finished.cuh"

namespace warptree::cuda {

std::span<const FinishedKernel> finished_kernels_i32() { return finished_kernels<std::int32_t>(); }

} // namespace warptree::cuda
