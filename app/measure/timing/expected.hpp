// The expected result of a timed kernel, computed independently: on the host, from the input's formula.
#pragma once

#include "app/measure/timing/data.hpp"
#include "app/theory/reference.hpp"

#include <cstddef>
#include <cstdint>

namespace warptree::timing {

// Total of n elements under sum, min or max, and how far rounding in a tree of `depth` may shift it. Uses every core.
Reference expected_total(Data data, std::uint64_t n, ElementType type, Operator op, std::uint64_t seed,
                         std::uint64_t depth);
// Sum, modulo 2^32, of the 32-bit words that the elements are made of.
std::uint32_t expected_words(Data data, std::uint64_t n, ElementType type, std::uint64_t seed);

// The host's combine of `count` partials: integers wrap, floats are summed in double precision.
Scalar host_total(ElementType type, Operator op, const void* partials, std::size_t count);

} // namespace warptree::timing
