#include "all_strategies.hpp"
#include "kernels/cuda/finished.cuh"

namespace warptree::cuda {

std::span<const FinishedKernel> finished_kernels_f32() { return finished_kernels<float>(); }

} // namespace warptree::cuda
