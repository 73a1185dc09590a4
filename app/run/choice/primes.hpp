// Prime numbers, as contents of arrays: distinct, positive, and irregular enough that no two of their sum, product,
// minimum, maximum, exclusive or and count are equal; a product of them never wraps to zero, as only one is even.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace warptree::runs {

// As many as lie below the number of elements that an array of unstated size may have, so that each may be an index.
inline constexpr std::size_t kMostPrimes = 1U << 19; // the last is 7,754,077

// The first `count` primes, or more; at most kMostPrimes. Computed once; may be called from several threads.
std::shared_ptr<const std::vector<std::uint32_t>> primes(std::size_t count);

} // namespace warptree::runs
