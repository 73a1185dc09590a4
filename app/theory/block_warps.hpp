// Which threads of a block form which warp.
#pragma once

#include <cstdint>
#include <vector>

namespace warptree::theory {

// Threads in each direction; x runs fastest. The product is 1 … 1024.
struct BlockShape {
    std::uint32_t x = 256, y = 1, z = 1;
    std::uint32_t threads() const { return x * y * z; }
    friend bool operator==(const BlockShape&, const BlockShape&) = default;
};

struct ThreadIndex {
    std::uint32_t x = 0, y = 0, z = 0;
    friend bool operator==(const ThreadIndex&, const ThreadIndex&) = default;
};

// x + y Dx + z Dx Dy, and back (CUDA C++ Programming Guide, "Thread Hierarchy").
std::uint32_t linear(const BlockShape& shape, const ThreadIndex& thread);
ThreadIndex thread_at(const BlockShape& shape, std::uint32_t linear);

// Consecutive linear indices in groups of 32; the last warp of a block may be partly empty.
std::uint32_t warps(const BlockShape& shape);
inline std::uint32_t warp_of(std::uint32_t linear) { return linear / 32; }
inline std::uint32_t lane_of(std::uint32_t linear) { return linear % 32; }
std::uint32_t empty_lanes(const BlockShape& shape); // lanes of the last warp without a thread

// Rows of the block (equal y and z) that the warp touches, at least in part. 1: the warp lies within one row.
std::uint32_t rows_of(const BlockShape& shape, std::uint32_t warp);

} // namespace warptree::theory
