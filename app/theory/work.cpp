#include "app/theory/work.hpp"

#include <algorithm>
#include <bit>

namespace warptree::theory {

namespace {
Plan plan(std::uint64_t n, std::uint64_t processors, std::uint64_t steps) {
    Plan p{processors, steps, processors * steps, 0, 0};
    p.speedup = steps == 0 ? 1 : static_cast<double>(n - 1) / static_cast<double>(steps);
    p.efficiency = p.speedup / static_cast<double>(processors);
    return p;
}
} // namespace

std::uint64_t combines(std::uint64_t n) { return n == 0 ? 0 : n - 1; }

std::uint32_t tree_steps(std::uint64_t n) { return n < 2 ? 0 : static_cast<std::uint32_t>(std::bit_width(n - 1)); }

std::uint64_t peak_parallel(std::uint64_t n) { return n / 2; }

double average_parallel(std::uint64_t n) {
    return n < 2 ? 0 : static_cast<double>(combines(n)) / static_cast<double>(tree_steps(n));
}

std::uint64_t combines_of_step(std::uint64_t n, std::uint32_t step) {
    for (; step > 0 && n > 1; --step) {
        n -= n / 2;
    }
    return step > 0 ? 0 : n / 2;
}

Plan with_processors(std::uint64_t n, std::uint64_t processors) {
    const std::uint64_t share = (n + processors - 1) / processors;
    return plan(n, processors, share - 1 + tree_steps(std::min(n, processors)));
}

Plan one_each(std::uint64_t n) { return with_processors(n, n); }

Plan brent(std::uint64_t n) { return with_processors(n, std::max<std::uint64_t>(1, n / std::max(1U, tree_steps(n)))); }

std::uint64_t greedy_steps(std::uint64_t n, std::uint64_t processors) {
    std::uint64_t steps = 0;
    for (; n > 1; n -= n / 2) {
        steps += (n / 2 + processors - 1) / processors;
    }
    return steps;
}

double brent_bound(std::uint64_t n, std::uint64_t processors) {
    return static_cast<double>(combines(n)) / static_cast<double>(processors) + tree_steps(n);
}

} // namespace warptree::theory
