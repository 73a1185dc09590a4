#include "app/theory/block_warps.hpp"

#include <algorithm>

namespace warptree::theory {

std::uint32_t linear(const BlockShape& s, const ThreadIndex& t) { return t.x + s.x * (t.y + s.y * t.z); }

ThreadIndex thread_at(const BlockShape& s, std::uint32_t linear) {
    return {linear % s.x, linear / s.x % s.y, linear / (s.x * s.y)};
}

std::uint32_t warps(const BlockShape& s) { return (s.threads() + 31) / 32; }

std::uint32_t empty_lanes(const BlockShape& s) { return warps(s) * 32 - s.threads(); }

std::uint32_t rows_of(const BlockShape& s, std::uint32_t warp) {
    const std::uint32_t last = std::min(warp * 32 + 31, s.threads() - 1);
    return last / s.x - warp * 32 / s.x + 1;
}

} // namespace warptree::theory
