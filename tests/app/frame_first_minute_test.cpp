// What must be visible without a click, at 1280x720, at 1920x1080 and with text twice as large.
#include "tests/app/rig.hpp"

#include "app/catalogue/strategy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

namespace warptree::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

std::string without_spaces(std::string text) {
    std::erase(text, ' ');
    return text;
}

class FirstMinute : public ::testing::Test {
  protected:
    void SetUp() override {
        if (const std::string obstacle = Rig::obstacle(); !obstacle.empty()) {
            GTEST_SKIP() << obstacle;
        }
        rig_.emplace();
    }
    // Calls check(texts) at each size with all fully visible texts, spaces removed.
    template <class F> void at_each_size(const std::string& state, F&& check) {
        struct {
            int width, height;
            float scale;
        } const sizes[]{{1280, 720, 1}, {1920, 1080, 1}, {1920, 1080, 2}};
        for (const auto& size : sizes) {
            SCOPED_TRACE(::testing::Message()
                         << state << " at " << size.width << "x" << size.height << " times " << size.scale);
            rig_->resize(size.width, size.height);
            rig_->calm();
            rig_->looks().scale = size.scale;
            rig_->screen().show_state(state);
            rig_->settle();
            std::string all;
            for (const FrameText& t : rig_->texts().texts) {
                all += t.hidden == 0 ? without_spaces(t.text) : " ";
            }
            check(all);
        }
    }

    std::optional<Rig> rig_;
};

TEST_F(FirstMinute, AStrategySaysAboveItsTreeWhatItDoesAndWhatIsNext) {
    const auto all_of_them = strategies();
    for (std::size_t i = 0; i < all_of_them.size(); ++i) {
        const StrategyInfo& info = all_of_them[i];
        const std::string lesson(info.lesson), sentence = lesson.substr(0, lesson.find(". "));
        at_each_size("explore/" + std::string(info.id), [&](const std::string& all) {
            EXPECT_THAT(all, HasSubstr(without_spaces(std::string(info.title))));
            EXPECT_THAT(all, AnyOf(HasSubstr(without_spaces(sentence)),
                                   HasSubstr(without_spaces(sentence.substr(0, sentence.find(": "))) + ".")));
            if (i + 1 < all_of_them.size() && all_of_them[i + 1].family == info.family) {
                const StrategyInfo& next = all_of_them[i + 1];
                EXPECT_THAT(all,
                            AnyOf(HasSubstr("]next:" + without_spaces(std::string(next.title))),
                                  HasSubstr("]next:" + std::string(next.id)), HasSubstr("]" + std::string(next.id))));
            }
        });
    }
}

TEST_F(FirstMinute, AnOverflowIsSaid) {
    at_each_size("explore/sequential?n=2^18&block=256&input=iota&step=3", [](const std::string& all) {
        EXPECT_THAT(all, HasSubstr("-131072"));
        EXPECT_THAT(all, HasSubstr("wrapsaround"));
        EXPECT_THAT(all, HasSubstr("Theexactsumis34359607296,morethananint"));
    });
}

TEST_F(FirstMinute, AMultiprocessorFillsWithBlocks) {
    at_each_size("theory/occupancy?device=hopper&block-x=256&block-y=1",
                 [](const std::string& all) { EXPECT_THAT(all, HasSubstr("Amultiprocessorwith8blocks")); });
}

} // namespace
} // namespace warptree::testing
