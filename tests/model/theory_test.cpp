// Warps of blocks, work and steps, arithmetic intensity: closed forms and the lectures' check cases.
#include "app/theory/block_warps.hpp"
#include "app/theory/memory_spaces.hpp"
#include "app/theory/roofline.hpp"
#include "app/theory/tiles.hpp"
#include "app/theory/work.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <vector>

namespace warptree::theory {
namespace {

TEST(BlockWarps, CountThreadsWithXFastest) {
    for (const BlockShape s : {BlockShape{1}, BlockShape{31}, BlockShape{32}, BlockShape{33}, BlockShape{1000},
                               BlockShape{16, 16}, BlockShape{7, 9}, BlockShape{5, 3, 4}, BlockShape{32, 32}}) {
        std::uint32_t t = 0;
        std::vector<std::set<std::uint32_t>> rows(warps(s));
        for (std::uint32_t z = 0; z < s.z; ++z) {
            for (std::uint32_t y = 0; y < s.y; ++y) {
                for (std::uint32_t x = 0; x < s.x; ++x, ++t) {
                    EXPECT_EQ(linear(s, {x, y, z}), t);
                    EXPECT_EQ(thread_at(s, t), (ThreadIndex{x, y, z}));
                    rows[warp_of(t)].insert(y + s.y * z);
                }
            }
        }
        EXPECT_EQ(t, s.threads());
        for (std::uint32_t w = 0; w < warps(s); ++w) {
            EXPECT_EQ(rows_of(s, w), rows[w].size()) << s.x << "x" << s.y << "x" << s.z << " warp " << w;
        }
        EXPECT_EQ(warps(s) * 32, s.threads() + empty_lanes(s));
        EXPECT_LT(empty_lanes(s), 32U);
    }
}

TEST(BlockWarps, CheckCases) {
    EXPECT_EQ(3 * warps({256}), 24U); // 3 blocks of 256 on a multiprocessor
    EXPECT_EQ(warps({16, 16}), 8U);
    EXPECT_EQ(rows_of({16, 16}, 0), 2U); // x 0 … 15 of y = 0 and y = 1
    EXPECT_EQ(warps({33}), 2U);
    EXPECT_EQ(empty_lanes({33}), 31U);
}

TEST(Work, StepsOfTheTreeAddUp) {
    for (const std::uint64_t n : {1, 2, 3, 31, 32, 33, 1000, 1024, 4097, 1 << 20}) {
        std::uint64_t sum = 0;
        for (std::uint32_t s = 0; s < tree_steps(n); ++s) {
            EXPECT_GT(combines_of_step(n, s), 0U) << n;
            EXPECT_LE(combines_of_step(n, s), peak_parallel(n));
            sum += combines_of_step(n, s);
        }
        EXPECT_EQ(sum, combines(n)) << n;
        EXPECT_EQ(combines_of_step(n, tree_steps(n)), 0U);
        EXPECT_EQ(tree_steps(n), static_cast<std::uint32_t>(std::ceil(std::log2(static_cast<double>(n))))) << n;
    }
}

TEST(Work, AMillionElements) {
    EXPECT_EQ(combines(1 << 20), 1048575U);
    EXPECT_EQ(tree_steps(1 << 20), 20U);
    EXPECT_EQ(peak_parallel(1 << 20), 524288U);
    EXPECT_NEAR(average_parallel(1'000'000), 50'000, 1);
}

// Counts the steps of a schedule, combine by combine.
std::uint64_t simulated(std::uint64_t n, std::uint64_t processors) {
    std::vector<std::uint64_t> left(processors, n / processors); // elements per processor
    for (std::uint64_t p = 0; p < n % processors; ++p) {
        ++left[p];
    }
    std::uint64_t steps = 0;
    for (bool any = true; any;) {
        any = false;
        for (std::uint64_t& e : left) {
            any = any || e > 1;
            e -= e > 1 ? 1 : 0;
        }
        steps += any ? 1 : 0;
    }
    for (std::uint64_t m = std::accumulate(left.begin(), left.end(), std::uint64_t{0}); m > 1; m -= m / 2) {
        ++steps;
    }
    return steps;
}

TEST(Work, WithProcessorsIsWhatAScheduleTakes) {
    for (const std::uint64_t n : {2, 31, 32, 33, 1000, 4096}) {
        for (const std::uint64_t p : {1, 2, 3, 31, 32, 100, 5000}) {
            EXPECT_EQ(with_processors(n, p).steps, simulated(n, p)) << n << " on " << p;
            EXPECT_EQ(with_processors(n, p).cost, p * simulated(n, p));
        }
    }
}

TEST(Work, BrentBoundsTheGreedySchedule) {
    for (const std::uint64_t n : {2, 33, 1000, 65536}) {
        for (const std::uint64_t p : {1, 2, 7, 64, 100'000}) {
            EXPECT_LE(static_cast<double>(greedy_steps(n, p)), brent_bound(n, p)) << n << " on " << p;
            EXPECT_GE(greedy_steps(n, p), tree_steps(n));
        }
        EXPECT_EQ(greedy_steps(n, 1), combines(n));
        EXPECT_EQ(greedy_steps(n, n), tree_steps(n));
    }
}

TEST(Work, OnlyFewerProcessorsAreCostEfficient) {
    const std::uint64_t n = 1 << 20;
    EXPECT_EQ(one_each(n).cost, n * 20);
    EXPECT_LE(brent(n).cost, 2 * n);
    EXPECT_EQ(brent(n).processors, n / 20);
    EXPECT_GT(brent(n).efficiency, 0.5);
    EXPECT_LT(one_each(n).efficiency, 0.051);
    EXPECT_DOUBLE_EQ(with_processors(n, 1).efficiency, 1);
}

TEST(Roofline, CheckCases) {
    EXPECT_DOUBLE_EQ(bandwidth(384, 1800e6), 86.4e9);
    EXPECT_NEAR(intensity(1 << 20, 4), 0.25, 1e-6);
    EXPECT_NEAR(intensity(1 << 20, 8), 0.125, 1e-6);
    for (const Machine& m : machines()) {
        EXPECT_LT(intensity(1 << 20, 4), ridge(m.adds_f32, m.bytes_per_second)) << m.name << ": bandwidth binds";
        const double at = ridge(m.adds_f32, m.bytes_per_second);
        EXPECT_NEAR(attainable(m.adds_f32, m.bytes_per_second, at) / m.adds_f32, 1, 1e-12);
        EXPECT_NEAR(attainable(m.adds_f32, m.bytes_per_second, at / 2) / m.adds_f32, 0.5, 1e-12);
    }
    EXPECT_EQ(machine_of("g80")->bytes_per_second, bandwidth(384, 1800e6));
    EXPECT_EQ(machine_of("nothing"), nullptr);
}

// Against counting: every thread of a block loads an element of each factor, then walks a row of one tile and a column of the other.
TEST(Tiles, LoadsAndOperationsAreThoseCounted) {
    for (std::uint32_t width = 1; width <= 32; ++width) {
        std::uint32_t loads = 0, operations = 0;
        for (std::uint32_t thread = 0; thread < width * width; ++thread) {
            loads += 2;
            for (std::uint32_t k = 0; k < width; ++k) {
                operations += 2;
            }
        }
        for (const std::uint32_t size : {4U, 8U}) {
            const Tile t = tile(width, size);
            EXPECT_EQ(t.loads, loads) << width;
            EXPECT_EQ(t.operations, operations) << width;
            EXPECT_DOUBLE_EQ(t.intensity, operations / (1.0 * loads * size)) << width;
            EXPECT_EQ(t.shared, width == 1 ? 0 : loads * size) << width;
        }
    }
}

TEST(Tiles, FiguresOfTheLecture) {
    EXPECT_DOUBLE_EQ(150e9 * tile(1, 4).intensity, 37.5e9);
    EXPECT_DOUBLE_EQ(150e9 * tile(16, 4).intensity, 600e9);
    EXPECT_EQ(tile(16, 4).loads, 512);
    EXPECT_EQ(tile(16, 4).operations, 8192);
    EXPECT_EQ(tile(32, 4).loads, 2048);
    EXPECT_EQ(tile(32, 4).operations, 65536);
    EXPECT_EQ(16 * 1024 / tile(16, 4).shared, 8);
    EXPECT_EQ(16 * 1024 / tile(16, 4).shared * tile(16, 4).loads, 4096);
    EXPECT_EQ(16 * 1024 / tile(32, 4).shared, 2);
}

TEST(MemorySpaces, AreTheFive) {
    std::set<std::string_view> names;
    for (const MemorySpace& s : memory_spaces()) {
        names.insert(s.name);
        EXPECT_FALSE(s.scope.empty() || s.lifetime.empty() || s.access.empty());
    }
    EXPECT_EQ(names, (std::set<std::string_view>{"register", "local", "shared", "global", "constant"}));
}

} // namespace
} // namespace warptree::theory
