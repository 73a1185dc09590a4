#include "app/measure/timing/scan_check.hpp"

#include "app/base/element.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/measure/timing/in_parts.hpp"
#include "app/measure/timing/launches.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace warptree::timing {

namespace {

double share(std::uint64_t depth, double unit) {
    const double du = static_cast<double>(depth) * unit;
    return du < 0.5 ? du / (1 - du) : std::numeric_limits<double>::infinity();
}

template <class T> std::vector<RunningSum> sums(Data data, std::uint64_t n, std::uint64_t seed, std::uint64_t part) {
    constexpr std::uint64_t kLeastElements = 1U << 16; // per thread
    const std::uint64_t parts = (n + part - 1) / part;
    const auto of_cores = in_parts(
        parts,
        [&](std::uint64_t first, std::uint64_t end) {
            std::vector<RunningSum> own(end - first);
            for (std::uint64_t p = first; p < end; ++p) {
                for (std::uint64_t i = p * part; i < std::min(n, (p + 1) * part); ++i) {
                    own[p - first].add(static_cast<double>(element<T>(data, seed, i)));
                }
            }
            return own;
        },
        std::max<std::uint64_t>(1, kLeastElements / part));
    std::vector<RunningSum> before;
    before.reserve(parts);
    RunningSum all;
    for (const auto& own : of_cores) {
        for (const RunningSum& sum : own) {
            before.push_back(all);
            all.append(sum);
        }
    }
    return before;
}
} // namespace

ScanDepth scan_depth(const Configuration& what) {
    if (is_known_peer(what.variant)) {
        // Tiles and threads' shares are unknown; no library uses tiles of less than 2^8 elements, or gives a thread
        // more than 2^6 in a row.
        return {2 * log2_up(what.n) + 64 + 8, what.n / (1U << 8) + 1};
    }
    const StrategyInfo& info = require_strategy(what.variant);
    const KernelLaunch l = launches(what).front();
    const std::uint64_t threads = std::uint64_t{l.grid} * l.block;
    const bool looks_back = info.answer == Answer::scan;
    constexpr std::uint64_t kWindow = 5; // levels of a look-back over 32 tiles
    return {l.n / threads + 2 + 2 * log2_up(l.block) + 8 + (looks_back ? kWindow : 0),
            looks_back ? std::uint64_t{l.grid} : 0};
}

ScanTolerance scan_tolerance(const ScanDepth& depth, ElementType type) {
    const double unit = type == ElementType::f32 ? std::numeric_limits<float>::epsilon() / 2.0
                                                 : std::numeric_limits<double>::epsilon() / 2;
    return {share(depth.tree, unit), share(depth.chain, unit)};
}

std::vector<RunningSum> sums_before(Data data, std::uint64_t n, ElementType type, std::uint64_t seed,
                                    std::uint64_t part) {
    return type == ElementType::f32 ? sums<float>(data, n, seed, part) : sums<double>(data, n, seed, part);
}

} // namespace warptree::timing
