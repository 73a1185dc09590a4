// Compared with brute force: the damage contains every pixel that two frames paint differently, and none far from one.
#include "app/render/damage.hpp"

#include <gtest/gtest.h>

#include <random>

namespace warptree::render {
namespace {

struct Mark {
    PixelRect where;
    std::uint64_t hash;
};
using Frame = std::vector<Mark>;

const std::vector<PixelRect>& show(Damage& damage, int width, int height, const Frame& frame) {
    damage.begin(width, height);
    for (const Mark& mark : frame) {
        damage.add(mark.where, mark.hash);
    }
    return damage.end();
}

// What is painted on each pixel, in order.
std::vector<std::vector<std::uint64_t>> pixels(int width, int height, const Frame& frame) {
    std::vector<std::vector<std::uint64_t>> all(static_cast<std::size_t>(width * height));
    for (const Mark& mark : frame) {
        const PixelRect r = intersect(mark.where, {0, 0, width, height});
        for (int y = r.top; y < r.bottom; ++y) {
            for (int x = r.left; x < r.right; ++x) {
                all[static_cast<std::size_t>(y * width + x)].push_back(mark.hash);
            }
        }
    }
    return all;
}

void expect_covered(const Frame& before, const Frame& after, const std::vector<PixelRect>& rects, int width,
                    int height) {
    const auto old = pixels(width, height, before), now = pixels(width, height, after);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const auto i = static_cast<std::size_t>(y * width + x);
            int times = 0;
            for (const PixelRect& r : rects) {
                times += r.left <= x && x < r.right && r.top <= y && y < r.bottom ? 1 : 0;
            }
            ASSERT_LE(times, 1) << "painted twice: " << x << ", " << y;
            if (old[i] != now[i]) {
                ASSERT_EQ(times, 1) << "missed: " << x << ", " << y;
            }
        }
    }
}

TEST(Damage, TheFirstFrameAndANewSizeAreWhole) {
    Damage damage;
    EXPECT_EQ(show(damage, 100, 70, {}), std::vector<PixelRect>({{0, 0, 100, 70}}));
    EXPECT_TRUE(damage.whole());
    EXPECT_TRUE(show(damage, 100, 70, {}).empty());
    EXPECT_FALSE(damage.whole());
    EXPECT_EQ(show(damage, 101, 70, {}), std::vector<PixelRect>({{0, 0, 101, 70}}));
    damage.forget();
    EXPECT_EQ(show(damage, 101, 70, {}), std::vector<PixelRect>({{0, 0, 101, 70}}));
    EXPECT_TRUE(damage.whole());
    EXPECT_TRUE(show(damage, 0, 0, {}).empty());
}

TEST(Damage, AnEqualFrameHasNone) {
    Damage damage;
    const Frame frame{{{3, 4, 90, 33}, 7}, {{-5, -5, 2, 2}, 8}, {{60, 60, 400, 400}, 9}};
    show(damage, 333, 222, frame);
    EXPECT_TRUE(show(damage, 333, 222, frame).empty());
    EXPECT_FALSE(damage.touches({0, 0, 333, 222}));
}

TEST(Damage, OnlyTheOrderChanged) {
    Damage damage;
    show(damage, 300, 300, {{{0, 0, 40, 40}, 1}, {{20, 20, 80, 80}, 2}});
    const auto& rects = show(damage, 300, 300, {{{20, 20, 80, 80}, 2}, {{0, 0, 40, 40}, 1}});
    ASSERT_EQ(rects.size(), 1U);
    EXPECT_LE(rects[0].right, 64);
    EXPECT_LE(rects[0].bottom, 64);
}

TEST(Damage, WhatIsPaintedTwiceDiffersFromOnce) {
    Damage damage;
    show(damage, 64, 64, {{{0, 0, 10, 10}, 5}});
    EXPECT_FALSE(show(damage, 64, 64, {{{0, 0, 10, 10}, 5}, {{0, 0, 10, 10}, 5}}).empty());
}

TEST(Damage, TwoFarChangesStayTwoRectangles) {
    Damage damage;
    show(damage, 1920, 1080, {});
    const auto& rects = show(damage, 1920, 1080, {{{5, 5, 9, 9}, 1}, {{1900, 1000, 1910, 1070}, 1}});
    EXPECT_EQ(rects, std::vector<PixelRect>({{0, 0, 32, 32}, {1888, 992, 1920, 1080}}));
    EXPECT_TRUE(damage.touches({30, 30, 40, 40}));
    EXPECT_FALSE(damage.touches({40, 40, 900, 900}));
    EXPECT_FALSE(damage.touches({32, 0, 33, 1}));
}

TEST(Damage, RandomFramesAgainstBruteForce) {
    std::mt19937 random(7);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (const auto& [width, height] : {std::pair{1, 1}, {31, 33}, {32, 32}, {257, 100}}) {
        Damage damage;
        Frame frame;
        show(damage, width, height, frame);
        for (int round = 0; round < 30; ++round) {
            Frame next = frame;
            for (int change = below(12); change >= 0; --change) {
                const int left = below(width + 40) - 20, top = below(height + 40) - 20;
                const PixelRect where{left, top, left + below(20), top + below(20)};
                const Mark mark{where, hash_bytes(&where, sizeof where, random() % 3)};
                const int at = below(static_cast<int>(next.size()) + 1);
                if (below(3) == 0 && at < static_cast<int>(next.size())) {
                    next.erase(next.begin() + at);
                } else {
                    next.insert(next.begin() + at, mark);
                }
            }
            const auto& rects = show(damage, width, height, next);
            EXPECT_LE(rects.size(), static_cast<std::size_t>(Damage::kMostRects));
            expect_covered(frame, next, rects, width, height);
            for (const Mark& mark : next) {
                bool reached = false;
                for (const PixelRect& r : rects) {
                    reached |= !intersect(r, mark.where).empty();
                }
                EXPECT_TRUE(!reached || damage.touches(mark.where));
            }
            frame = std::move(next);
        }
    }
}

TEST(Damage, HashesSeeEveryByteAndTheirNumber) {
    unsigned char bytes[21] = {};
    const std::uint64_t zero = hash_bytes(bytes, 21, 1);
    EXPECT_NE(zero, hash_bytes(bytes, 20, 1));
    EXPECT_NE(zero, hash_bytes(bytes, 21, 2));
    for (unsigned char& b : bytes) {
        b = 1;
        EXPECT_NE(hash_bytes(bytes, 21, 1), zero);
        b = 0;
    }
}

} // namespace
} // namespace warptree::render
