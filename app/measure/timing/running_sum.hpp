// The check behind app/measure/timing/scan_check.hpp, which also runs on the GPU.
#pragma once

#include "app/base/host_device.hpp"
#include "app/measure/timing/data.hpp"

#include <cstdint>

namespace warptree::timing {

// A sum that grows by one element after the other, in twice the precision of a double (Knuth's TwoSum), and
// bounds for the rounding of other sums over the same elements.
struct RunningSum {
    double high = 0, low = 0;   // the sum
    double magnitude = 0;       // of |x|, summed
    double least = 0, most = 0; // of the sums so far, the empty one among them

    WARPTREE_HD void add(double x) {
        low += add_exactly(x);
        magnitude += x < 0 ? -x : x;
        const double sum = high + low;
        least = sum < least ? sum : least;
        most = sum > most ? sum : most;
    }
    // Sum of what is added after this point, from zero.
    WARPTREE_HD void append(const RunningSum& next) {
        const double before = high + low;
        least = before + next.least < least ? before + next.least : least;
        most = before + next.most > most ? before + next.most : most;
        low += add_exactly(next.high) + next.low;
        magnitude += next.magnitude;
    }
    WARPTREE_HD double largest() const { return most > -least ? most : -least; } // |sum| so far

  private:
    // What the rounded sum leaves out.
    WARPTREE_HD double add_exactly(double x) {
        const double sum = high + x, part = sum - high;
        const double lost = (high - (sum - part)) + (x - part);
        high = sum;
        return lost;
    }
};

// Relative error bounds: depth * u / (1 - depth * u), u the unit roundoff of the type; infinite where that
// says nothing.
struct ScanTolerance {
    double of_magnitude = 0, of_largest = 0;
};

// Whether `got` is the sum as near as rounding allows. Operands of one level of a tree are sums of disjoint runs, and so
// at most the magnitude in all; a carried prefix is a run of elements, the difference of two prefixes, and so at most
// twice the largest (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 4.2).
WARPTREE_HD bool agrees(double got, const RunningSum& want, const ScanTolerance& tolerance) {
    constexpr double kOwnRounding = 1.001; // of the bounds themselves
    const double off = (got - want.high) - want.low;
    const double bound =
        kOwnRounding * (tolerance.of_magnitude * want.magnitude + 2 * tolerance.of_largest * want.largest());
    return (off < 0 ? -off : off) <= bound;
}

struct WrongElements {
    std::uint64_t count = 0, first = ~0ULL;
};
// Those of out[first … end) that are off. `out` is a scan of the input by tiles of `tile` elements; `before` the sum of
// the elements from the first of the tile to `first`, which a tile that begins there does not need.
template <class T>
WARPTREE_HD WrongElements wrong_in_part(const T* out, std::uint64_t first, std::uint64_t end, std::uint64_t tile,
                                        RunningSum before, bool exclusive, std::uint64_t seed, Data data,
                                        const ScanTolerance& tolerance) {
    WrongElements wrong;
    for (std::uint64_t i = first; i < end; ++i) {
        if (i % tile == 0) {
            before = RunningSum{};
        }
        RunningSum after = before;
        after.add(static_cast<double>(element<T>(data, seed, i)));
        if (!agrees(static_cast<double>(out[i]), exclusive ? before : after, tolerance)) {
            wrong.first = wrong.count == 0 ? i : wrong.first;
            ++wrong.count;
        }
        before = after;
    }
    return wrong;
}

} // namespace warptree::timing
