// A matrix product by square tiles in shared memory: what one block loads and computes between two of its barriers.
//
// Source: D. Kirk, W. Hwu, Programming Massively Parallel Processors, chapter on tiled matrix multiplication: every thread
// loads one element of each factor, and multiplies and adds once for each element of a row of the tile.
#pragma once

#include <cstdint>

namespace warptree::theory {

struct Tile {
    std::uint32_t width = 0;      // elements; 1: none, every operand comes from memory
    std::uint32_t threads = 0;    // of the block, width²
    std::uint32_t loads = 0;      // elements from global memory, two a thread
    std::uint32_t operations = 0; // additions and multiplications, two for each thread and element of a row
    std::uint32_t shared = 0;     // bytes of shared memory per block, two tiles; 0 without tiles
    double intensity = 0;         // operations per byte loaded, width / element size
};

Tile tile(std::uint32_t width, std::uint32_t element_bytes); // width 1 to 32

} // namespace warptree::theory
