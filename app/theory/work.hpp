// Work, steps and cost of summing n numbers in parallel.
//
// Sources: R. P. Brent, "The Parallel Evaluation of General Arithmetic Expressions", J. ACM 21 (1974); J. JáJá, An
// Introduction to Parallel Algorithms (1992), 1.5 and 2.1. One combine takes one unit of time.
#pragma once

#include <cstdint>

namespace warptree::theory {

std::uint64_t combines(std::uint64_t n);      // n - 1: the work of any tree
std::uint32_t tree_steps(std::uint64_t n);    // ceil(log2 n): the depth of the balanced tree
std::uint64_t peak_parallel(std::uint64_t n); // floor(n / 2): combines of the first step
double average_parallel(std::uint64_t n);     // (n - 1) / ceil(log2 n)

// Combines of step s = 0, 1 … of the balanced tree over n: half of the remaining values; an odd one is carried over.
std::uint64_t combines_of_step(std::uint64_t n, std::uint32_t step);

struct Plan {
    std::uint64_t processors = 1;
    std::uint64_t steps = 0; // parallel time
    std::uint64_t cost = 0;  // processors × steps
    double speedup = 0;      // (n - 1) / steps
    double efficiency = 0;   // speedup / processors = (n - 1) / cost
};

// P processors: each first sums its n / P elements sequentially, then the tree combines the partial results.
// steps = ceil(n / P) - 1 + ceil(log2 min(n, P)).
Plan with_processors(std::uint64_t n, std::uint64_t processors);
// n processors, one per element: steps = log2 n, cost = n log2 n. Not cost efficient.
Plan one_each(std::uint64_t n);
// n / log2 n processors with log2 n elements each: cost O(n). Cost efficient.
Plan brent(std::uint64_t n);
// The greedy schedule of the balanced tree's combines on P processors, step by step: sum of ceil(w_s / P). Brent's
// theorem bounds it by (n - 1) / P + ceil(log2 n).
std::uint64_t greedy_steps(std::uint64_t n, std::uint64_t processors);
double brent_bound(std::uint64_t n, std::uint64_t processors);

} // namespace warptree::theory
