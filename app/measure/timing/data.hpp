// The inputs that kernels are timed on.
#pragma once

#include "app/base/random.hpp"

#include <cstdint>
#include <type_traits>

namespace warptree::timing {

// random: as `--input random`. whole: floats that are small whole numbers, so that their sum is exact in any order
// and can be checked to the last bit; integers, whose sum is always exact, use their random input.
enum class Data : std::uint8_t { random, whole };

template <class T> WARPTREE_HD T element(Data data, std::uint64_t seed, std::uint64_t i) {
    if constexpr (std::is_floating_point_v<T>) {
        if (data == Data::whole) { // -8 … 8: 2^30 of them stay far below 2^24, but for a chance of e^-5000
            return static_cast<T>(static_cast<int>(mix(seed ^ mix(i)) % 17) - 8);
        }
    }
    return random_element<T>(seed, i);
}

} // namespace warptree::timing
