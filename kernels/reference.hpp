// What the result should be, by a way of its own.
#pragma once

#include "kernels/launch.hpp"

namespace warptree {

struct Reference {
    Scalar value;         // integers: wrapped; floating: compensated, rounded to the type
    double tolerance = 0; // largest error that rounding explains, for a tree of that depth
};

// Sums are Neumaier-compensated in long double, products plain in long double. The tolerance is the first-order
// bound depth * u * sum |x| (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 4.2), and for products
// n * u * |result|.
Reference reference(const Elements& input, Operator op, std::uint64_t depth);

} // namespace warptree
