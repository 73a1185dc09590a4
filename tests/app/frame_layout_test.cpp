// No text of any screen is cut, covered, overlapping or outside its box, in windows from 1280x720 to 3840x2160 at text
// scales from 75 to 300 %: read from the draw lists, without painting. WARPTREE_ONLY_STATE=TEXT checks only states with
// TEXT in their names; WARPTREE_FRAMES=DIR also paints them and writes the pictures there.
#include "tests/app/rig.hpp"
#include "tests/app/small_picture.hpp"
#include "tests/support/sanitizer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace warptree::testing {
namespace {

// Each state is checked in two of the twelve combinations of size and scale (two sizes, two scales), the next state in
// others; a state that is `one_of_many` in one. WARPTREE_ONLY_STATE checks all.
std::size_t every(const RigState& state) {
    return tests::kFewCases ? (state.one_of_many ? 36 : 12) : (state.one_of_many ? 12 : 6);
}

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
    std::map<std::string, Found> found; // each fault is reported once, with its first occurrence
    const char* only = std::getenv("WARPTREE_ONLY_STATE");
    const char* pictures = std::getenv("WARPTREE_FRAMES");
    std::size_t frames = 0, texts = 0;
    const std::vector<RigState> states = rig_states();
    for (std::size_t s = 0; s < std::size(kRigScales); ++s) {
        for (std::size_t i = 0; i < states.size(); ++i) {
            const RigState& state = states[i];
            const float scale = kRigScales[s];
            if (only != nullptr && state.name.find(only) == std::string::npos) {
                continue;
            }
            bool shown = false;
            for (std::size_t z = 0; z < std::size(kRigSizes); ++z) {
                const std::size_t combination = std::size(kRigSizes) * s + (s + z) % std::size(kRigSizes);
                if (only == nullptr && (combination + i) % every(state) != 0) {
                    continue;
                }
                const RigSize& size = kRigSizes[z];
                // Themes share one layout, so they take turns over states, sizes and scales.
                rig.looks().theme = scene::kThemeNames[(combination + i / 3) % scene::kThemeNames.size()];
                rig.resize(size.width, size.height);
                try {
                    if (!std::exchange(shown, true)) {
                        rig.calm();
                        rig.looks().scale = scale;
                        state.show(rig);
                    }
                    rig.settle();
                } catch (const std::exception& e) {
                    ADD_FAILURE() << state.name << ": " << e.what();
                    break;
                }
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
