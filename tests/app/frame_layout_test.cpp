// No text of any screen is cut, covered, overlapping or outside its box, in windows from 1280x720 to 3840x2160 at text
// scales from 75 to 300 %: read from what is drawn, without painting it. WARPTREE_ONLY_STATE=TEXT looks at the states
// that have TEXT in their names, WARPTREE_FRAMES=DIR paints them, too, and writes the pictures there.
#include "tests/app/rig.hpp"
#include "tests/app/small_picture.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

namespace warptree::testing {
namespace {

std::string file_name(std::string text) {
    std::replace(text.begin(), text.end(), '/', '-');
    return text;
}

void save(Rig& rig, const RigSize& size, const std::string& path) {
    rig.screen().paint();
    SmallPicture::of(rig.screen().picture().read(), size.width, size.height, size.width, {}).save(path);
}

TEST(FrameLayout, NoTextIsCutCoveredOrOverlapping) {
    if (const std::string obstacle = Rig::obstacle(); !obstacle.empty()) {
        GTEST_SKIP() << obstacle;
    }
    Rig rig;
    struct Found {
        std::string first;
        int times = 0;
    };
    std::map<std::string, Found> found; // a fault is told once, with where it was first
    const char* only = std::getenv("WARPTREE_ONLY_STATE");
    const char* pictures = std::getenv("WARPTREE_FRAMES");
    std::size_t frames = 0, texts = 0;
    for (const float scale : kRigScales) {
        std::size_t turn = 0;
        for (const RigState& state : rig_states()) {
            if (only != nullptr && state.name.find(only) == std::string::npos) {
                continue;
            }
            rig.calm();
            rig.looks().scale = scale;
            try {
                state.show(rig);
            } catch (const std::exception& e) {
                ADD_FAILURE() << state.name << ": " << e.what();
                continue;
            }
            for (const RigSize& size : kRigSizes) {
                // Themes share one layout: each is seen with every state, size and scale, not with all at once.
                rig.looks().theme = scene::kThemeNames[turn++ % scene::kThemeNames.size()];
                rig.resize(size.width, size.height);
                rig.settle();
                const FrameTexts frame = rig.texts();
                if (pictures != nullptr) {
                    save(rig, size,
                         fmt::format("{}/{} {} {:.0f}.png", pictures, file_name(state.name), size.width, 100 * scale));
                }
                ++frames;
                texts += frame.texts.size();
                EXPECT_GT(frame.texts.size(), 10U) << state.name;
                for (const FrameFault& f : frame.faults) {
                    Found& it = found[fmt::format("\"{}\" of {} {}", f.text, f.window, f.what)];
                    if (it.times++ == 0) {
                        it.first =
                            fmt::format("{} at {}x{}, {:.0f} %, at {:.0f},{:.0f} {:.0f}x{:.0f}", state.name, size.width,
                                        size.height, 100 * scale, f.where.x, f.where.y, f.where.w, f.where.h);
                    }
                }
            }
        }
    }
    RecordProperty("frames", static_cast<int>(frames));
    RecordProperty("texts", static_cast<int>(texts));
    for (const auto& [fault, it] : found) {
        ADD_FAILURE() << fault << "\n  " << it.times << " times, first in " << it.first;
    }
}

} // namespace
} // namespace warptree::testing
