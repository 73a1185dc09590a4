#include "app/run/choice/primes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>

namespace warptree::runs {

namespace {
// The sieve of Eratosthenes, over odd numbers only.
std::vector<std::uint32_t> sieved(std::size_t count) {
    const auto n = static_cast<double>(std::max<std::size_t>(count, 6));
    const auto last = static_cast<std::uint32_t>(n * (std::log(n) + std::log(std::log(n)))); // Rosser, 1941
    std::vector<bool> composite(last / 2 + 1);                                               // of 2 i + 1
    std::vector<std::uint32_t> found{2};
    found.reserve(count);
    for (std::uint32_t i = 1; i < composite.size() && found.size() < count; ++i) {
        if (composite[i]) {
            continue;
        }
        const std::uint64_t prime = 2 * i + 1;
        found.push_back(static_cast<std::uint32_t>(prime));
        for (std::uint64_t multiple = prime * prime / 2; multiple < composite.size(); multiple += prime) {
            composite[multiple] = true;
        }
    }
    return found;
}
} // namespace

std::shared_ptr<const std::vector<std::uint32_t>> primes(std::size_t count) {
    static std::mutex mutex;
    static std::shared_ptr<const std::vector<std::uint32_t>> known;
    const std::lock_guard lock(mutex);
    if (known == nullptr || known->size() < std::min(count, kMostPrimes)) {
        const std::size_t room = std::bit_ceil(std::clamp<std::size_t>(count, 4096, kMostPrimes));
        known = std::make_shared<const std::vector<std::uint32_t>>(sieved(room));
    }
    return known;
}

} // namespace warptree::runs
