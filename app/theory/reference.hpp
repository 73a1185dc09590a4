// The expected result, computed independently of the kernels.
#pragma once

#include "app/base/elements.hpp"
#include "app/base/operators.hpp"

#include <cstdint>
#include <functional>

namespace warptree {

struct Reference {
    Scalar value;         // integers: wrapped; floating: compensated, rounded to the type
    double tolerance = 0; // largest error that rounding can explain, for a tree of depth `depth`
    // Floating: deviations explained by the type's range, which a partial result may exceed in some order of combining.
    bool may_be_infinite[2] = {false, false}; // +∞, −∞
    bool may_be_nan = false;                  // ∞ − ∞, ∞ · 0
    bool may_vanish = false;                  // a product may underflow to a subnormal number or 0
};

// Sums are Neumaier-compensated in long double, products are plain, in long double with a separate exponent. The
// tolerance is the first-order bound depth * u * sum |x| (Higham, Accuracy and Stability of Numerical Algorithms, 2nd
// ed., 4.2), and for products n * u * |result|; where a partial product may underflow, its n rounding errors of at
// most the smallest positive number each are scaled by the product of all factors larger than 1.
Reference reference(const Elements& input, Operator op, std::uint64_t depth);

// Whether `got` equals `want` within rounding and the range of the type. `error`: the difference; infinite if just one
// of the two is NaN or infinite. A nonzero product must have the right sign in any case.
bool agrees(const Scalar& got, const Reference& want, double& error);

// The expected elements of a scan of the input, in order. tile: elements per independent scan.
void scan_references(const Elements& input, Operator op, std::uint64_t tile, bool exclusive, std::uint64_t depth,
                     const std::function<void(std::uint64_t index, const Reference&)>& tell);
// The dot product of two inputs.
Reference dot_reference(const Elements& a, const Elements& b, std::uint64_t depth);

} // namespace warptree
