// What a kernel to be timed should answer, by a way of its own: on the host, from the input's formula.
#pragma once

#include "kernels/random.hpp"
#include "kernels/reference.hpp"

#include <cstddef>
#include <cstdint>

namespace warptree::timing {

// random: that of `--input random`. whole: floats that are small whole numbers, so that their sum is exact in any order
// and every bit of it can be checked; integers, whose sum always is, have their random input.
enum class Data : std::uint8_t { random, whole };

template <class T> WARPTREE_HD T element(Data data, std::uint64_t seed, std::uint64_t i) {
    if constexpr (std::is_floating_point_v<T>) {
        if (data == Data::whole) { // -8 … 8: 2^30 of them stay far below 2^24, but for a chance of e^-5000
            return static_cast<T>(static_cast<int>(mix(seed ^ mix(i)) % 17) - 8);
        }
    }
    return random_element<T>(seed, i);
}

// Total of n elements under sum, min or max, and how far rounding in a tree of `depth` may take it. Uses every core.
Reference expected_total(Data data, std::uint64_t n, ElementType type, Operator op, std::uint64_t seed,
                         std::uint64_t depth);
// Sum, modulo 2^32, of the 32-bit words that the elements are made of.
std::uint32_t expected_words(Data data, std::uint64_t n, ElementType type, std::uint64_t seed);

// The host's combine of `count` partials: integers wrap, floats are summed in double precision.
Scalar host_total(ElementType type, Operator op, const void* partials, std::size_t count);

} // namespace warptree::timing
