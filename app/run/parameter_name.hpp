// What the name of an integer parameter says of it, where nobody says what it is called with.
#pragma once

#include <cstdint>
#include <string_view>

namespace warptree::runs {

enum class Named : std::uint8_t {
    elements, // how many there are, or anything else
    distance, // between two elements: stride, offset
    window,   // the side of a filter: mask_width, kernelSize, ksize
    radius,   // of one
    times,    // how often something is done again: iterations, sweeps
    turn,     // which of the launches it is that a host makes one after the other: pivot, phase, level
};
Named named(std::string_view parameter);

} // namespace warptree::runs
