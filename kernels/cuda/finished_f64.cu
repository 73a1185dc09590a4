#include "all_strategies.hpp"
#include "kernels/cuda/finished.cuh"

namespace warptree::cuda {

std::span<const FinishedKernel> finished_kernels_f64() { return finished_kernels<double>(); }

} // namespace warptree::cuda
