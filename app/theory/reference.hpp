// What the result should be, by a way of its own.
#pragma once

#include "app/base/elements.hpp"
#include "app/base/operators.hpp"

#include <cstdint>
#include <functional>

namespace warptree {

struct Reference {
    Scalar value;         // integers: wrapped; floating: compensated, rounded to the type
    double tolerance = 0; // largest error that rounding explains, for a tree of that depth
    // Floating: what the type's range explains, because a partial result of some order of combining leaves it.
    bool may_be_infinite[2] = {false, false}; // +∞, −∞
    bool may_be_nan = false;                  // ∞ − ∞, ∞ · 0
    bool may_vanish = false;                  // a product that passes below the normal numbers, down to 0
};

// Sums are Neumaier-compensated in long double, products plain in long double with an exponent of their own. The
// tolerance is the first-order bound depth * u * sum |x| (Higham, Accuracy and Stability of Numerical Algorithms, 2nd
// ed., 4.2), and for products n * u * |result|; where a product may vanish on the way, its n roundings of at most the
// smallest positive number each are scaled by the product of all that is larger than 1.
Reference reference(const Elements& input, Operator op, std::uint64_t depth);

// Whether `got` is `want`, as near as rounding and the range of the type allow; the error, infinite where one of the
// two is not a number or infinite alone, goes to `error`. A product has to have the right sign in any case.
bool agrees(const Scalar& got, const Reference& want, double& error);

// What each element of a scan of the input should be, in order. tile: elements that are scanned together.
void scan_references(const Elements& input, Operator op, std::uint64_t tile, bool exclusive, std::uint64_t depth,
                     const std::function<void(std::uint64_t index, const Reference&)>& tell);
// The sum of the products of two inputs' elements.
Reference dot_reference(const Elements& a, const Elements& b, std::uint64_t depth);

} // namespace warptree
