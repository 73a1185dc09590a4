// What a kernel does with an integer parameter, by its code and its name, where nobody says what it is called with.
#pragma once

#include "app/compile/program/program.hpp"

#include <cstdint>

namespace warptree::runs {

enum class IntegerRole : std::uint8_t {
    elements, // how many there are, or anything else
    distance, // between two elements: stride, offset
    window,   // the side of a filter: mask_width, kernelSize, ksize
    radius,   // of one
    times,    // how often something is done again: iterations, sweeps
    turn,     // which of the launches it is that a host makes one after the other: pivot, phase, level
    shift,    // by how many bits a number is shifted: bit
    digits,   // of how many bits the elements' numbers are, as a shift by 32 - bits says
    pitch,    // how many bytes a row takes
    place,    // where in an array something begins or is, which bounds and spaces nothing: k of a row a[k * n + j]
};
IntegerRole role_of(const compile::Program& program, const compile::Kernel& kernel,
                    const compile::Parameter& parameter);

// Whether the number of a thread is compared with it.
bool guards_threads(const compile::Program& program, const compile::Kernel& kernel,
                    const compile::Parameter& parameter);

// Whether it is multiplied by another number that the kernel is told, as that of a row by the rows' length.
bool says_a_row(const compile::Program& program, const compile::Kernel& kernel, const compile::Parameter& parameter);

// Whether a number that the kernel computes, as that of a row, is multiplied by it: its arrays may have as many elements as its square.
bool spaces_rows(const compile::Program& program, const compile::Kernel& kernel, const compile::Parameter& parameter);

// What the number of a thread in the grid is compared with, as a multiple of it: 8 where `i < n * 8` keeps threads within arrays of
// n * 8 elements; of several the largest. 1: no product. dimension: of the grid, 0 for x, 1 for y.
std::uint64_t elements_each(const compile::Program& program, const compile::Kernel& kernel,
                            const compile::Parameter& parameter, unsigned dimension = 0);

} // namespace warptree::runs
