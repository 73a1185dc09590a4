// The rounding error of each strategy against a reference: floating-point sums depend on the order of combines.
//
// Bounds: N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 4.2: the error of a sum is at most
// depth × u × Σ|x| to first order, depth being the number of combines on the longest path from an element to the
// result, u the unit roundoff. A sum from left to right has depth n − 1, a balanced tree log2 n.
#pragma once

#include "app/base/options.hpp"
#include "app/trace/explain/order_results.hpp"

#include <string>
#include <vector>

namespace warptree::runs {

struct RoundingOptions {
    std::uint64_t n = 1ULL << 20;
    ElementType type = ElementType::f32; // f32 or f64
    InputKind input = InputKind::random;
    std::uint64_t seed = 1;
    // Not the table, but `strategy` alone in so many orders; 0: the table.
    std::uint32_t orders = 0;
    std::string strategy{};
    friend bool operator==(const RoundingOptions&, const RoundingOptions&) = default;
};

struct RoundingRow {
    std::string strategy; // id, or "one by one": a sequential sum in the type itself
    double result = 0;
    double error = 0;        // |result − reference|
    double relative = 0;     // error / |reference|; 0 when both are 0
    double bound = 0;        // Higham's bound for its depth
    std::uint64_t depth = 0; // combines on the longest path; 0: unknown
};

struct RoundingTable {
    RoundingOptions options;
    double reference = 0;          // the exact sum, rounded once to double
    double sum_of_sizes = 0;       // Σ|x|
    double unit = 0;               // roundoff u: 2^-24 or 2^-53
    std::vector<RoundingRow> rows; // strategies in their order, "one by one" last
    OrderResults orders;           // if they were asked for; there are then no rows
};

// The strategies that sum floating-point elements to one value.
std::vector<std::string> summing_strategies();

// Runs every strategy that supports the options in the interpreter. Throws Cancelled, and OptionError for an integer
// type.
RoundingTable rounding(const RoundingOptions& options, RunControl& control);

// The sum of doubles without error, rounded once: an expansion of non-overlapping parts (J. R. Shewchuk, "Adaptive
// Precision Floating-Point Arithmetic", 1997, grow-expansion). Values must be finite.
double exact_sum(const std::vector<double>& values);

} // namespace warptree::runs
