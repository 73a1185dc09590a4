// What a kernel's arithmetic says of the elements of a block, and of its threads: numbers that its text has in place of blockDim.
#pragma once

#include "app/compile/program/program.hpp"

#include <array>
#include <cstdint>

namespace warptree::runs {

// By dimension x, y; 0, unless something else stands beside it: it does not say.
struct BlockElements {
    // How far those of neighbouring blocks are apart, as 512 in blockIdx.x * 512 + threadIdx.x.
    std::array<std::uint32_t, 2> strides{};
    // A block takes a row: blockIdx is multiplied by what is neither a number nor made of blockDim, as in
    // in[blockIdx.x * columns + j].
    bool rows = false;
    // So many threads share an element or a row, as 32 do of (blockIdx.x * blockDim.x + threadIdx.x) / 32; 1: it does not say.
    std::uint32_t threads_each = 1;
    // A block takes so many times its threads in x, as 2 in blockIdx.x * blockDim.x * 2 + threadIdx.x; 1: it does not say.
    std::uint32_t elements_each = 1;
    // Blocks are numbered in x and take as many as they have threads in y, as in blockIdx.x * blockDim.y + threadIdx.y.
    bool x_counts_y = false;
    // Whether it asks for blockDim.
    std::array<bool, 2> asks_size{};
    // A block has so many threads: it takes as many elements as that has groups of threads_each, as in
    // blockIdx.x * 8 + threadIdx.x / 32, or a loop goes on by so many, as for (i = threadIdx.x; i < n; i += 128), or from 0 on for
    // x[i + threadIdx.x].
    std::array<std::uint32_t, 2> threads{};
    // The least part of the stride in x that is added to an element's number, as 256 in in[i] + in[i + 256]: a thread's elements
    // are that far apart.
    std::uint32_t apart = 0;
    // The rows of a tile that a thread takes are that far apart, as 8 in for (j = 0; j < 32; j += 8) … in[y + j]; 0 also where
    // neighbours are among what is added, as in a stencil.
    std::uint32_t rows_apart = 0;
};
BlockElements elements_of_blocks(const compile::Program& program, const compile::Kernel& kernel);

} // namespace warptree::runs
