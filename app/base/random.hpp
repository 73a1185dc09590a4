// Random input by index: each element can be computed by itself, with the same value on the host and on a GPU.
#pragma once

#include "app/base/host_device.hpp"

#include <cstdint>
#include <type_traits>

namespace warptree {

// SplitMix64 (Steele, Lea, Flood, 2014).
WARPTREE_HD std::uint64_t mix(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

// Small integers, so that values stay readable in a cell: -99 to 99, unsigned 0 to 199; floats uniform in [-1, 1).
template <class T> WARPTREE_HD T random_element(std::uint64_t seed, std::uint64_t i) {
    const std::uint64_t r = mix(seed ^ mix(i));
    if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(static_cast<double>(r >> 40) / static_cast<double>(1U << 23) - 1.0);
    } else if constexpr (std::is_signed_v<T>) {
        return static_cast<T>(static_cast<std::int64_t>(r % 199) - 99);
    } else {
        return static_cast<T>(r % 200);
    }
}

} // namespace warptree
