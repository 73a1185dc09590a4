// The screens as they are painted, held against recorded pictures (tests/golden/screens): Compare and Lessons in every
// theme, size and text scale, the other screens in every size and scale with the themes by turns. Each frame is read
// back from the program's own framebuffer and made small, see small_picture.hpp. The number of cores, which the top bar
// tells, is left out. WARPTREE_UPDATE_GOLDENS=1 records them anew.
#include "kernels/trace/archive.hpp"
#include "tests/app/rig.hpp"
#include "tests/app/small_picture.hpp"
#include "tests/support/paths.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace warptree::testing {
namespace {

constexpr int kSmallWidth = 640; // of every window a whole part
// A word that is missing in a window of 3840 pixels at 100 % makes 9 and more, what renderers round differently 2.
constexpr double kTolerance = 6;

std::filesystem::path directory() { return tests::golden_dir() / "screens"; }

// Which fonts the texts are written with: name and a sum over the file.
std::string fonts() {
    std::set<std::string> lines;
    for (const ImFontConfig& font : ImGui::GetIO().Fonts->ConfigData) {
        const auto* bytes = static_cast<const unsigned char*>(font.FontData);
        std::uint64_t sum = 14695981039346656037ULL; // FNV-1a
        for (int i = 0; i < font.FontDataSize; ++i) {
            sum = (sum ^ bytes[i]) * 1099511628211ULL;
        }
        const std::string name = font.Name;
        lines.insert(fmt::format("{} {:016x}\n", name.substr(0, name.find(',')), sum));
    }
    std::string all;
    for (const std::string& line : lines) {
        all += line;
    }
    return all;
}

// What a screen shows in the pictures, by text scale.
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

TEST(FrameGolden, ScreensLookAsRecorded) {
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
    for (std::size_t s = 0; s < std::size(kRigScales); ++s) {
        for (const Screen& screen : kScreens) {
            rig.calm();
            rig.looks().scale = kRigScales[s];
            state_named(states, screen.states[s]).show(rig);
            for (std::size_t z = 0; z < std::size(kRigSizes); ++z) {
                rig.resize(kRigSizes[z].width, kRigSizes[z].height);
                for (std::size_t t = 0; t < scene::kThemeNames.size(); ++t) {
                    if (!screen.all_themes && t != (s + z) % scene::kThemeNames.size()) {
                        continue;
                    }
                    rig.looks().theme = scene::kThemeNames[t];
                    rig.settle();
                    rig.screen().paint();
                    const SmallPicture is =
                        SmallPicture::of(rig.screen().picture().read(), kRigSizes[z].width, kRigSizes[z].height,
                                         kSmallWidth, rig.screen().placed("device"));
                    const std::string file =
                        fmt::format("{}-{}-{}-{:.0f}.png", screen.name, scene::name(scene::kThemeNames[t]),
                                    kRigSizes[z].width, 100 * kRigScales[s]);
                    const PictureDifference d = difference(is, SmallPicture::load(directory() / file));
                    if (record && d.worst > kTolerance / 2) { // what is as good as the same need not be kept twice
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

} // namespace
} // namespace warptree::testing
