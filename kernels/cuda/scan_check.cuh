// kernels/timing/scan_check.hpp on the GPU: a thread a part of the scan.
#pragma once

#include "kernels/timing/scan_check.hpp"

namespace warptree::cuda {

inline constexpr std::uint64_t kScanPart = 4096; // elements a thread walks, where a tile does not end before

// Adds to `*count` the elements that are off, and lowers `*lowest` to the first of them. `before`: the sum before each
// part, of a scan of the whole input; nullptr: a part is a tile, and begins at zero.
template <class T>
__global__ void check_rounding(const T* out, std::uint64_t n, std::uint64_t part, const timing::RunningSum* before,
                               bool exclusive, std::uint64_t seed, timing::Data data, timing::ScanTolerance tolerance,
                               unsigned long long* count, unsigned long long* lowest) {
    const std::uint64_t parts = (n + part - 1) / part;
    const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
    for (std::uint64_t p = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; p < parts; p += step) {
        const std::uint64_t first = p * part, end = first + part < n ? first + part : n;
        const timing::WrongElements found = timing::wrong_in_part(out, first, end, before == nullptr ? part : n,
                                                                  before == nullptr ? timing::RunningSum{} : before[p],
                                                                  exclusive, seed, data, tolerance);
        if (found.count != 0) {
            atomicAdd(count, static_cast<unsigned long long>(found.count));
            atomicMin(lowest, static_cast<unsigned long long>(found.first));
        }
    }
}

} // namespace warptree::cuda
