// A number for each lane of a warp, kept as few: one where all are alike, two where they grow evenly, else one a lane.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace warptree {

// What is kept for the lanes of a mask. Stable: trace files hold the number.
enum class LaneShape : std::uint8_t {
    each,  // one number a lane, by lane
    alike, // one number
    even   // two, a and b: a + lane * b, which wraps as the unsigned type does
};

constexpr unsigned kept_numbers(LaneShape shape, std::uint32_t mask) {
    return shape == LaneShape::alike ? 1 : shape == LaneShape::even ? 2 : static_cast<unsigned>(std::popcount(mask));
}

// Appends what is kept of by_lane[l], for each lane l of the mask, which has one at least.
template <class T> LaneShape keep_lanes(std::vector<T>& to, const std::array<T, 32>& by_lane, std::uint32_t mask) {
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    const std::uint32_t others = mask & (mask - 1);
    std::make_signed_t<T> step = 0;
    if (others != 0) {
        const auto second = static_cast<unsigned>(std::countr_zero(others));
        const auto apart = static_cast<std::make_signed_t<T>>(second - first);
        step = static_cast<std::make_signed_t<T>>(by_lane[second] - by_lane[first]);
        bool even = step % apart == 0;
        step /= apart;
        for (std::uint32_t rest = others; even && rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            even = by_lane[lane] == static_cast<T>(by_lane[first] + (lane - first) * static_cast<T>(step));
        }
        if (!even) {
            for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
                to.push_back(by_lane[static_cast<unsigned>(std::countr_zero(rest))]);
            }
            return LaneShape::each;
        }
    }
    if (step == 0) {
        to.push_back(by_lane[first]);
        return LaneShape::alike;
    }
    to.push_back(static_cast<T>(by_lane[first] - first * static_cast<T>(step)));
    to.push_back(static_cast<T>(step));
    return LaneShape::even;
}

// The number of a lane of the mask; `first`: where what is kept begins.
template <class T>
T lane_value(const std::vector<T>& kept, std::size_t first, LaneShape shape, std::uint32_t mask, unsigned lane) {
    switch (shape) {
    case LaneShape::alike: return kept[first];
    case LaneShape::even: return static_cast<T>(kept[first] + lane * kept[first + 1]);
    case LaneShape::each: break;
    }
    return kept[first + static_cast<unsigned>(std::popcount(mask & ((1U << lane) - 1)))];
}

} // namespace warptree
