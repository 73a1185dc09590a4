// What has to be seen without a click, at 1280x720, at 1920x1080 and with text twice as large.
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
    // Calls check(texts) with all texts that are wholly seen, without their spaces, at each size.
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
    struct {
        const char *id, *next;
    } const all_asked[]{{"interleaved-modulo", "interleaved-strided"},
                        {"sequential", "first-add"},
                        {"block-shuffle", "two-kernel"},
                        {"scan-blelloch", "scan-lookback"}};
    for (const auto& asked : all_asked) {
        const StrategyInfo* info = find_strategy(asked.id);
        const StrategyInfo* following = find_strategy(asked.next);
        ASSERT_NE(info, nullptr) << asked.id;
        ASSERT_NE(following, nullptr) << asked.next;
        const std::string lesson(info->lesson);
        at_each_size(std::string("explore/") + asked.id + "?n=1024&block=256&step=2", [&](const std::string& all) {
            EXPECT_THAT(all, HasSubstr(without_spaces(std::string(info->title))));
            EXPECT_THAT(all, HasSubstr(without_spaces(lesson.substr(0, lesson.find(". "))) + "."));
            EXPECT_THAT(all,
                        AnyOf(HasSubstr("]next:" + without_spaces(std::string(following->title))),
                              HasSubstr(std::string("]next:") + asked.next), HasSubstr(std::string("]") + asked.next)));
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
