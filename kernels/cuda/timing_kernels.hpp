// What the harness itself runs on the GPU: makes inputs, checks results, empties the cache, holds the stream. All work
// is asynchronous on the default stream; results are the cudaError_t of the launch.
#pragma once

#include "app/base/element_type.hpp"
#include "app/measure/timing/running_sum.hpp"

#include <cstdint>

namespace warptree::cuda {

// An input that is made by formula.
struct Contents {
    ElementType type = ElementType::i32;
    std::uint64_t n = 0;
    std::uint64_t seed = 0;
    timing::Data data = timing::Data::random;
};
int fill(void* out, const Contents& what);

// Elements that are not what they should be, and the lowest index of one; to begin with 0 and ~0.
struct Wrong {
    unsigned long long count, first;
};
// Whether `out` is the scan, under sum, of an input `in`: of each `tile` elements on their own. Sums must be exact.
int check_scan(const void* out, const Contents& in, std::uint64_t tile, bool exclusive, Wrong* wrong);
// The same of floats, within what rounding explains (app/measure/timing/scan_check.hpp), for parts of `part` elements.
// `before`, on the GPU: the sum before each part, of a scan of the whole input; nullptr: a part is a tile.
int check_rounded_scan(const void* out, const Contents& in, std::uint64_t part, const timing::RunningSum* before,
                       bool exclusive, const timing::ScanTolerance& tolerance, Wrong* wrong);
int check_copy(const void* out, const Contents& in, Wrong* wrong);

// Whole 16 bytes only.
int overwrite(void* out, std::uint64_t bytes, unsigned value);
// The lower 4 bytes, or all 8.
int put_bits(void* out, std::uint64_t bits, unsigned size);
int launch_nothing(std::uint32_t grid, std::uint32_t block);

// In memory that host and GPU share. A stream that is held waits until `open` is not 0, two seconds at most: `late` is
// then 1.
struct Gate {
    int open, late;
};
int hold(Gate* gate);

} // namespace warptree::cuda
