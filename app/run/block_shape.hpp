// The shape of a block that nobody asked for: as many dimensions as the kernel reads, and as its tile has.
#pragma once

#include "app/compile/program.hpp"
#include "app/simt/launch_setup.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace warptree::runs {

// How many dimensions of threadIdx the kernel and what it calls read: 1 to 3.
unsigned thread_dimensions(const compile::Program& program, const compile::Kernel& kernel);

// Whether the kernel or what it calls asks for its block's number or for the grid's size. One that does not is written for
// one block: in a grid every block does the same.
bool knows_its_block(const compile::Program& program, const compile::Kernel& kernel);

// By dimension, whether it asks for either. Where it does not, all blocks of that dimension do the same.
std::array<bool, 3> asks_for_its_block(const compile::Program& program, const compile::Kernel& kernel);

// What the kernel's arithmetic says of the elements of a block.
struct BlockElements {
    // How far those of neighbouring blocks are apart, as 512 in blockIdx.x * 512 + threadIdx.x, in x and y; 0: it does not say.
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
};
BlockElements elements_of_blocks(const compile::Program& program, const compile::Kernel& kernel);

// The block with one thread per element of a two-dimensional tile of these extents (rows, columns).
simt::Extent tile_of(const std::vector<std::uint32_t>& extents);

// The block that its arithmetic says, as blockIdx.x * 128 + threadIdx.x does; else `threads`, in one dimension, or 256 in
// several, or as many as the kernel's __launch_bounds__ allow; the shape of the kernel's tile in shared memory, if it has one.
simt::Extent usual_block(const compile::Program& program, const compile::Kernel& kernel, unsigned dimensions,
                         std::uint32_t threads = 256);

} // namespace warptree::runs
