// Work on a range of elements, shared among the cores.
#pragma once

#include "app/base/background.hpp"

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace warptree::timing {

// f(first, end) for parts of 0 … n, one thread per core; returns the results in order. `least`: units per thread.
template <class F> auto in_parts(std::uint64_t n, F f, std::uint64_t least = 1U << 16) {
    using R = decltype(f(std::uint64_t{}, std::uint64_t{}));
    const std::uint64_t parts = std::clamp<std::uint64_t>(n / least, 1, cores());
    std::vector<R> results(parts);
    std::vector<std::thread> threads;
    for (std::uint64_t p = 1; p < parts; ++p) {
        threads.emplace_back([&, p] { results[p] = f(n * p / parts, n * (p + 1) / parts); });
    }
    results[0] = f(0, n / parts);
    for (std::thread& t : threads) {
        t.join();
    }
    return results;
}

} // namespace warptree::timing
