// A warp whose lanes are too narrow to draw shows their pattern, not their share.
#include "app/views/lane_look.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace warptree::scene {
namespace {

WarpStep step(std::uint32_t active, std::uint32_t existing = 0xFFFFFFFFU) { return {existing, active, 0}; }

// The active fraction of the width.
float share(const std::vector<LaneStripe>& all, float width) {
    float sum = 0;
    for (const LaneStripe& s : all) {
        sum += s.state == Lane::active ? s.width : 0;
    }
    return sum / width;
}
std::vector<float> active_at(const std::vector<LaneStripe>& all) {
    std::vector<float> at;
    for (const LaneStripe& s : all) {
        if (s.state == Lane::active) {
            at.push_back(s.x);
        }
    }
    std::sort(at.begin(), at.end());
    return at;
}

TEST(LaneStripes, ARepeatingPatternIsSpreadOverTheWholeWarp) {
    for (const float width : {20.0F, 28.0F, 33.0F, 47.0F}) {
        for (const auto& [active, part] : {std::pair{0x55555555U, 0.5F}, {0x11111111U, 0.25F}, {0x01010101U, 0.125F}}) {
            const auto all = lane_stripes(step(active), width);
            const auto at = active_at(all);
            ASSERT_GE(at.size(), 2U) << width;
            EXPECT_LT(at.front(), 1);
            EXPECT_GT(at.back(), width / 2) << "not packed to the left";
            for (std::size_t i = 2; i < at.size(); ++i) {
                EXPECT_NEAR(at[i] - at[i - 1], at[1] - at[0], 1e-3) << "evenly";
            }
            EXPECT_GE(at[1] - at[0], 4) << "wide enough to see";
            EXPECT_NEAR(share(all, width), part, 0.13F) << width;
        }
    }
}

TEST(LaneStripes, ABlockOfLanesStaysWhereItIs) {
    const auto half = lane_stripes(step(0x0000FFFFU), 32);
    ASSERT_EQ(active_at(half).size(), 1U);
    EXPECT_NEAR(share(half, 32), 0.5F, 1e-3);
    const auto upper = lane_stripes(step(0xFFFF0000U), 32);
    EXPECT_FLOAT_EQ(active_at(upper).front(), 16);
    const auto one = lane_stripes(step(0x80000000U), 16);
    ASSERT_EQ(active_at(one).size(), 1U);
    EXPECT_GE(share(one, 16), 1.0F / 16) << "a lone lane is still seen";
    EXPECT_FLOAT_EQ(active_at(one).front(), 15);
}

TEST(LaneStripes, EveryStateOfAWarpAtAnyWidth) {
    for (const std::uint32_t active : {0U, 0xFFFFFFFFU, 0x5U, 0x33333333U, 0x7FFFFFFFU}) {
        for (const std::uint32_t existing : {0xFFFFFFFFU, 0x7U, 0x1U}) {
            for (const float width : {0.2F, 1.0F, 5.5F, 31.0F}) {
                for (const LaneStripe& s : lane_stripes(step(active & existing, existing), width)) {
                    EXPECT_GE(s.x, 0);
                    EXPECT_LE(s.x + s.width, width + 1e-3F);
                    EXPECT_NE(s.state, Lane::absent);
                }
            }
        }
    }
    EXPECT_TRUE(lane_stripes(step(0, 0), 20).empty());
}

} // namespace
} // namespace warptree::scene
