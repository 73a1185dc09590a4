// The screens as painted, compared with recorded pictures (tests/golden/screens): Compare and Lessons in every theme,
// size and text scale, the other screens in every size and scale with alternating themes. Each frame is read back from
// the program's own framebuffer and scaled down, see small_picture.hpp. The number of cores in the top bar is masked.
// WARPTREE_UPDATE_GOLDENS=1 records the pictures again.
#include "app/base/whole_file.hpp"
#include "tests/app/rig.hpp"
#include "tests/app/small_picture.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/recorded_fonts.hpp"
#include "tests/support/sanitizer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace warptree::testing {
namespace {

constexpr int kSmallWidth = 640; // divides every window width
// Rounding differs by at most 2 between renderers; the test at the end shows what is still detected.
constexpr double kTolerance = 5;

std::filesystem::path directory() { return tests::golden_dir() / "screens"; }

// The fonts in use: name and checksum of each file.
std::string fonts() {
    std::set<std::string> lines;
    for (const ImFontConfig& font : ImGui::GetIO().Fonts->ConfigData) {
        const std::string name = font.Name;
        const auto* bytes = static_cast<const char*>(font.FontData);
        lines.insert(tests::font_line(name.substr(0, name.find(',')), {bytes, bytes + font.FontDataSize}) + "\n");
    }
    std::string all;
    for (const std::string& line : lines) {
        all += line;
    }
    return all;
}

// The state in which each screen is compared, per text scale.
struct Screen {
    const char* name;
    const char* states[std::size(kRigScales)];
    bool all_themes;
};
constexpr Screen kScreens[]{
    {"explore", {"explore", "explore", "explore", "explore"}, false},
    {"compare", {"compare four", "compare", "compare two", "compare two"}, true},
    {"timings", {"timings ladder", "timings ladder", "timings ladder", "timings ladder"}, false},
    {"theory", {"theory occupancy", "theory work", "theory warps", "theory memory"}, false},
    {"lessons", {"lessons banks 3, answered", "lessons index 1", "lessons banks 3, answered", "lessons tree 2"}, true},
    {"strides", {"strides", "strides", "strides", "strides"}, false}};

const RigState& state_named(const std::vector<RigState>& all, const std::string& name) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const RigState& s) { return s.name == name; });
    if (found == all.end()) {
        throw std::runtime_error("there is no state " + name);
    }
    return *found;
}

const std::size_t kEvery = tests::kFewCases ? 8 : 1; // every kEvery-th picture is compared

// Areas that depend on the machine or on the build.
std::vector<scene::Rect> of_this_machine(Rig& rig, const std::string& screen) {
    std::vector<scene::Rect> blank{rig.screen().placed("device")};
    if (screen == "timings") { // the reason why it cannot measure, which sets the height of the scroll area
        const scene::Rect figure = rig.screen().placed("timings-figure");
        blank.push_back({0, figure.y, figure.x, 1e5F});
    }
    return blank;
}

TEST(FrameGolden, ScreensLookAsRecorded) {
    if (tests::kSanitized) GTEST_SKIP() << "FrameLayout draws every screen under a sanitizer, too";
    if (const std::string obstacle = Rig::obstacle(); !obstacle.empty()) {
        GTEST_SKIP() << obstacle;
    }
    Rig rig;
    const char* update = std::getenv("WARPTREE_UPDATE_GOLDENS");
    const bool record = update != nullptr && *update == '1';
    const auto fonts_file = directory() / "fonts.txt";
    if (record) {
        std::filesystem::create_directories(directory());
        write_whole(fonts_file, fonts());
    } else if (const std::string recorded = read_whole(fonts_file); recorded != fonts()) {
        GTEST_SKIP() << "the pictures were recorded with other fonts:\n" << recorded << "here are\n" << fonts();
    }
    const std::vector<RigState> states = rig_states();
    std::size_t number = 0;
    for (std::size_t s = 0; s < std::size(kRigScales); ++s) {
        for (const Screen& screen : kScreens) {
            rig.calm();
            rig.looks().scale = kRigScales[s];
            state_named(states, screen.states[s]).show(rig);
            for (std::size_t z = 0; z < std::size(kRigSizes); ++z) {
                rig.resize(kRigSizes[z].width, kRigSizes[z].height);
                for (std::size_t t = 0; t < scene::kThemeNames.size(); ++t) {
                    if ((!screen.all_themes && t != (s + z) % scene::kThemeNames.size()) ||
                        (!record && number++ % kEvery != 0)) {
                        continue;
                    }
                    rig.looks().theme = scene::kThemeNames[t];
                    rig.settle();
                    rig.screen().paint();
                    const SmallPicture is =
                        SmallPicture::of(rig.screen().picture().read(), kRigSizes[z].width, kRigSizes[z].height,
                                         kSmallWidth, of_this_machine(rig, screen.name));
                    const std::string file =
                        fmt::format("{}-{}-{}-{:.0f}.png", screen.name, scene::name(scene::kThemeNames[t]),
                                    kRigSizes[z].width, 100 * kRigScales[s]);
                    const PictureDifference d = difference(is, SmallPicture::load(directory() / file));
                    if (record && d.worst > kTolerance / 2) { // keep the old picture if nearly equal
                        is.save(directory() / file);
                    } else if (!record && d.worst > kTolerance) {
                        const auto seen = std::filesystem::path(::testing::TempDir()) / file;
                        is.save(seen);
                        ADD_FAILURE() << file << " differs by " << d.worst << " at " << d.x << ", " << d.y
                                      << ": compare " << seen << " with " << directory() / file;
                    }
                }
            }
        }
    }
}

// The tolerance still detects a missing word, both in the window with the smallest words and in the smallest window, a
// panel moved by six pixels of 1280, and another theme.
TEST(FrameGolden, NoticesAMissingWordAMovedPanelAndAnotherTheme) {
    if (tests::kSanitized) GTEST_SKIP() << "FrameLayout draws every screen under a sanitizer, too";
    if (const std::string obstacle = Rig::obstacle(); !obstacle.empty()) {
        GTEST_SKIP() << obstacle;
    }
    Rig rig;
    rig.calm();
    rig.looks().theme = scene::ThemeName::light;
    state_named(rig_states(), "compare").show(rig);
    for (const RigSize& size : {kRigSizes[0], kRigSizes[2]}) {
        rig.resize(size.width, size.height);
        rig.settle();
        rig.screen().paint();
        const std::vector<std::uint8_t> whole = rig.screen().picture().read();
        const auto small = [&](const std::vector<std::uint8_t>& rgba) {
            return SmallPicture::of(rgba, size.width, size.height, kSmallWidth, {});
        };
        const SmallPicture before = small(whole);
        EXPECT_EQ(difference(before, small(whole)).worst, 0);
        const auto at = [&](int x, int y) {
            return std::size_t{4} *
                   (static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) + static_cast<std::size_t>(x));
        };
        std::size_t words = 0, missed = 0;
        std::string said;
        const FrameTexts frame = rig.texts();
        for (std::size_t i = 0; i<frame.texts.size(); i += size.width> 2000 ? 4 : 1) {
            const FrameText& text = frame.texts[i];
            const bool word =
                std::any_of(text.text.begin(), text.text.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
            if (text.seen < 4 || !word) { // a number in a cell may be smaller than one pixel of the small picture
                continue;
            }
            std::vector<std::uint8_t> erased = whole;
            const int left = static_cast<int>(text.ink.x), top = static_cast<int>(text.ink.y);
            for (int y = top; y < static_cast<int>(text.ink.bottom()); ++y) {
                for (int x = left; x < static_cast<int>(text.ink.right()); ++x) {
                    std::copy_n(whole.begin() + static_cast<std::ptrdiff_t>(at(left - 2, y)), 4,
                                erased.begin() + static_cast<std::ptrdiff_t>(at(x, y)));
                }
            }
            ++words;
            if (const double by = difference(before, small(erased)).worst; by <= kTolerance) {
                ++missed;
                said += fmt::format("\n\"{}\" of {} makes {}", text.text, text.window, by);
            }
        }
        EXPECT_GT(words, 15U);
        EXPECT_EQ(missed, 0U) << "of " << words << " words at " << size.width << said;
        const scene::Rect panel = rig.screen().placed("compare-table");
        std::vector<std::uint8_t> moved = whole;
        const int by = 6 * size.width / 1280;
        for (int y = static_cast<int>(panel.y); y < static_cast<int>(panel.bottom()) - 2; ++y) {
            std::copy_n(whole.begin() + static_cast<std::ptrdiff_t>(at(static_cast<int>(panel.x), y)),
                        4 * static_cast<std::ptrdiff_t>(panel.w) - 4 * by,
                        moved.begin() + static_cast<std::ptrdiff_t>(at(static_cast<int>(panel.x) + by, y)));
        }
        EXPECT_GT(difference(before, small(moved)).worst, kTolerance);
        rig.looks().theme = scene::ThemeName::dark;
        rig.settle();
        rig.screen().paint();
        EXPECT_GT(difference(before, small(rig.screen().picture().read())).worst, 10 * kTolerance);
        rig.looks().theme = scene::ThemeName::light;
    }
}

} // namespace
} // namespace warptree::testing
