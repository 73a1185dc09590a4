// The playground of shuffles compared with the definition in the CUDA C++ Programming Guide, and fixes for strides.
#include "app/features/strides/playground.hpp"
#include "app/features/strides/shuffles.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace warptree::tests {
namespace {
using session::Playground;
using session::ShufflePlayground;
using ShuffleField = ShufflePlayground::Field;

// The lane plus or minus delta, xor, or by index, within segments of `width`; nothing: out of range.
std::optional<unsigned> source_of(const std::string& kind, unsigned lane, unsigned delta, unsigned width) {
    const unsigned segment = lane & ~(width - 1);
    if (kind == "index") {
        return segment + delta % width;
    }
    if (kind == "down") {
        return (lane & (width - 1)) + delta < width ? std::optional(lane + delta) : std::nullopt;
    }
    if (kind == "up") {
        return (lane & (width - 1)) >= delta ? std::optional(lane - delta) : std::nullopt;
    }
    const unsigned to = lane ^ delta;
    return to <= (segment | (width - 1)) ? std::optional(to) : std::nullopt;
}

TEST(Shuffles, GiveWhatTheGuideSays) {
    ShufflePlayground play;
    play.set(ShuffleField::value, "100+lane");
    play.set(ShuffleField::mask, "f0ffffff");
    for (const char* kind : {"down", "up", "xor", "index"}) {
        for (unsigned width = 1; width <= 32; width *= 2) {
            for (unsigned delta = 0; delta < 32; ++delta) {
                play.set(ShuffleField::kind, kind);
                play.set(ShuffleField::width, std::to_string(width));
                play.set(ShuffleField::delta, std::to_string(delta));
                ASSERT_EQ(play.error(), "");
                for (unsigned lane = 0; lane < 32; ++lane) {
                    const unsigned from = source_of(kind, lane, delta, width).value_or(lane);
                    const auto calls = [](unsigned l) { return (0xf0ffffffU >> l & 1U) != 0; };
                    EXPECT_EQ(play.after(lane), !calls(lane)  ? ""
                                                : calls(from) ? std::to_string(100 + from)
                                                              : "undefined")
                        << kind << " " << width << " " << delta << " lane " << lane;
                }
            }
        }
    }
}

TEST(Shuffles, RefuseWhatIsNone) {
    ShufflePlayground play;
    const std::string before = play.call();
    for (const auto& [field, text, why] : {std::tuple{ShuffleField::kind, "left", "down, up, xor or index"},
                                           {ShuffleField::delta, "32", "0 to 31"},
                                           {ShuffleField::delta, "-1", "0 to 31"},
                                           {ShuffleField::width, "3", "power of two"},
                                           {ShuffleField::width, "64", "power of two"},
                                           {ShuffleField::mask, "xyz", "hexadecimal"},
                                           {ShuffleField::mask, "100000000", "hexadecimal"},
                                           {ShuffleField::value, "lane+", "expected"},
                                           {ShuffleField::value, "1/lane", "division by zero"}}) {
        play.set(field, text);
        EXPECT_THAT(play.error(), ::testing::HasSubstr(why)) << text;
        EXPECT_EQ(play.call(), before);
    }
    play.set(ShuffleField::delta, "8");
    EXPECT_EQ(play.error(), "");
    EXPECT_EQ(play.call(), "__shfl_down_sync(0xffffffff, x, 8, 32)");
    ShufflePlayground again;
    again.restore(play.values());
    EXPECT_EQ(again.values(), play.values());
}

TEST(Shuffles, SayWhatIsOutOfRange) {
    ShufflePlayground play;
    EXPECT_THAT(play.sentence(), ::testing::HasSubstr("16 lanes get a value"));
    EXPECT_THAT(play.sentence(), ::testing::HasSubstr("For 16 lanes the source is out of range"));
    play.set(ShuffleField::mask, "0000ffff");
    EXPECT_THAT(play.sentence(), ::testing::HasSubstr("16 lanes read from a lane that does not execute it"));
    EXPECT_EQ(play.table().rows.size(), 32U);
}

TEST(Shuffles, AreDrawnInside) {
    const EvenMeasure measure;
    ShufflePlayground play;
    play.set(ShuffleField::mask, "0fffffff");
    play.set(ShuffleField::width, "8");
    play.set(ShuffleField::delta, "3");
    for (const scene::Rect area : {scene::Rect{0, 0, 900, 600}, {10, 20, 300, 500}, {0, 0, 2400, 1400}}) {
        const scene::Drawing d = scene::draw_shuffle(play, scene::theme(scene::ThemeName::dark), measure, 1, area);
        for (const scene::Text& t : texts(d)) {
            EXPECT_TRUE(scene::inside(area, extent(t, measure))) << t.text;
        }
        std::size_t wires = 0;
        for (const scene::Layer& layer : d.layers) {
            for (const scene::Curve& c : layer.curves) {
                wires += c.from.x != c.to.x || c.dash == 0 ? 1 : 0;
            }
        }
        EXPECT_EQ(wires, 16U) << "28 lanes call, 9 keep their own, 3 read what is not there";
    }
}

TEST(Strides, AreMendedByPaddingOrSwizzle) {
    Playground play;
    for (const auto& [index, stride] : {std::pair{"t*32", "1"}, {"2*s*t", "16"}, {"s*t", "32"}}) {
        play.set(Playground::Field::index, index);
        play.set(Playground::Field::stride, stride);
        ASSERT_GT(play.report().wavefronts, play.report().ideal);
        const auto all = play.remedies();
        ASSERT_EQ(all.size(), 3U);
        EXPECT_EQ(all[0].wavefronts, play.report().wavefronts);
        // Column access over 32 rows: padding by one word in 32 spreads them over all banks.
        EXPECT_EQ(all[1].wavefronts, 1U) << all[1].index;
        EXPECT_THAT(play.mend(), ::testing::HasSubstr("padded: 1 wavefront instead of"));
        EXPECT_EQ(play.report().wavefronts, 1U);
        EXPECT_EQ(play.mend(), "there is no conflict to fix");
    }
    play.set(Playground::Field::index, "t*32");
    EXPECT_EQ(play.remedies()[2].wavefronts, 1U) << "a swizzle costs no memory";
    play.set(Playground::Field::banks, "16");
    EXPECT_NE(play.remedies()[1].index.find("/16"), std::string::npos);
}

} // namespace
} // namespace warptree::tests
