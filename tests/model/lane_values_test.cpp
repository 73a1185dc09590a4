// Numbers of lanes, as few as say them: what is kept gives back what was there, whatever it was.
#include "app/trace/model/lane_values.hpp"

#include <gtest/gtest.h>

#include <random>

namespace warptree {
namespace {

template <class T> void keeps(const std::array<T, 32>& by_lane, std::uint32_t mask, LaneShape shape) {
    std::vector<T> kept{7}; // of another
    ASSERT_EQ(keep_lanes(kept, by_lane, mask), shape) << std::hex << mask;
    ASSERT_EQ(kept.size(), 1 + kept_numbers(shape, mask));
    for (unsigned lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1U) != 0) {
            ASSERT_EQ(lane_value(kept, 1, shape, mask, lane), by_lane[lane]) << lane << std::hex << " of " << mask;
        }
    }
}

template <class T> void keeps_what_grows_evenly() {
    std::mt19937_64 random(3);
    for (int i = 0; i < 20000; ++i) {
        const auto mask = static_cast<std::uint32_t>(random() & random()) | 1U << random() % 32;
        const auto first = static_cast<T>(i % 3 == 0 ? random() : random() % 100);
        const auto step = static_cast<T>(i % 5 == 0 ? 0 : i % 2 == 0 ? random() % 9 : 0 - random() % 9);
        std::array<T, 32> by_lane{};
        for (unsigned lane = 0; lane < 32; ++lane) {
            by_lane[lane] = static_cast<T>(first + lane * step);
        }
        const bool alike = step == 0 || std::has_single_bit(mask);
        keeps(by_lane, mask, alike ? LaneShape::alike : LaneShape::even);
        const unsigned other = random() % 32;
        if (std::popcount(mask) > 2 && (mask >> other & 1U) != 0) {
            by_lane[other] ^= 1;
            std::vector<T> kept;
            keeps(by_lane, mask, keep_lanes(kept, by_lane, mask)); // mostly each
        }
    }
}

TEST(LaneValues, KeepWhatGrowsEvenlyByTwo) {
    keeps_what_grows_evenly<std::uint32_t>();
    keeps_what_grows_evenly<std::uint64_t>();
}

TEST(LaneValues, KeepAnythingElse) {
    std::mt19937 random(4);
    for (int i = 0; i < 20000; ++i) {
        std::array<std::uint32_t, 32> by_lane{};
        for (std::uint32_t& value : by_lane) {
            value = random() % (i % 2 == 0 ? 3 : 0xFFFFFFFFU);
        }
        const std::uint32_t mask = random() | 1U << random() % 32;
        std::vector<std::uint32_t> kept;
        keeps(by_lane, mask, keep_lanes(kept, by_lane, mask));
    }
    std::array<std::uint32_t, 32> squares{};
    for (unsigned lane = 0; lane < 32; ++lane) {
        squares[lane] = lane * lane;
    }
    keeps(squares, 0xFFFFFFFFU, LaneShape::each);
    keeps(squares, 0b110U, LaneShape::even); // any two are
    // Half a step a lane is none.
    keeps(std::array<std::uint32_t, 32>{0, 0, 1, 0, 2, 0, 3}, 0b1010101U, LaneShape::each);
}

} // namespace
} // namespace warptree
