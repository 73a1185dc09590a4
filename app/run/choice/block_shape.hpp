// The shape of a block that nobody asked for: as many dimensions as the kernel reads, and as its tile has.
#pragma once

#include "app/compile/program/program.hpp"
#include "app/simt/launch_setup.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace warptree::runs {

// How many dimensions of threadIdx the kernel and what it calls read: 1 to 3.
unsigned thread_dimensions(const compile::Program& program, const compile::Kernel& kernel);

// Whether the kernel or what it calls asks for its block's number, be it by a counter in global memory, or for the grid's size. One that does not is written for
// one block: in a grid every block does the same.
bool knows_its_block(const compile::Program& program, const compile::Kernel& kernel);

// By dimension, whether it asks for either. Where it does not, all blocks of that dimension do the same.
std::array<bool, 3> asks_for_its_block(const compile::Program& program, const compile::Kernel& kernel);

// The block with one thread per element of a two-dimensional tile of these extents (rows, columns).
simt::Extent tile_of(const std::vector<std::uint32_t>& extents);

// How many threads its barriers wait for at most, where they say so ("bar.sync 1, 128"): a block has as many at least. 0: they do not.
std::uint32_t threads_of_barriers(const compile::Program& program, const compile::Kernel& kernel);

// The block that its arithmetic says, as blockIdx.x * 128 + threadIdx.x does; else `threads`, in one dimension, or 256 in
// several, or as many as the kernel's __launch_bounds__ allow; the shape of the kernel's tile in shared memory, if it has one. Not fewer than its
// barriers wait for.
simt::Extent usual_block(const compile::Program& program, const compile::Kernel& kernel, unsigned dimensions,
                         std::uint32_t threads = 256);

} // namespace warptree::runs
