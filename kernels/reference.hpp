// What the result should be, by a way of its own.
#pragma once

#include "kernels/launch.hpp"

#include <functional>

namespace warptree {

struct Reference {
    Scalar value;         // integers: wrapped; floating: compensated, rounded to the type
    double tolerance = 0; // largest error that rounding explains, for a tree of that depth
};

// Sums are Neumaier-compensated in long double, products plain in long double. The tolerance is the first-order
// bound depth * u * sum |x| (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 4.2), and for products
// n * u * |result|.
Reference reference(const Elements& input, Operator op, std::uint64_t depth);

// What each element of the output should be, in order, for a strategy whose outputs are results of their own.
void references(const Elements& input, const RunOptions& options, std::uint64_t depth,
                const std::function<void(std::uint64_t index, const Reference&)>& tell);

} // namespace warptree
