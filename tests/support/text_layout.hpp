// No two texts of a drawing overlap, and none leaves its area.
#pragma once

#include "tests/support/scene_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warptree::tests {

inline std::string describe(const scene::Text& text) {
    return "\"" + text.text + "\" at " + std::to_string(text.anchor.x) + ", " + std::to_string(text.anchor.y) + " of " +
           std::to_string(text.size);
}

// Sorted by the left edge, only neighbours in x can overlap.
inline void expect_clean(const scene::Drawing& drawing, const scene::TextMeasure& measure, const std::string& where) {
    struct Placed {
        scene::Rect rect;
        const scene::Text* text;
    };
    const auto all = texts(drawing);
    std::vector<Placed> placed;
    for (const scene::Text& text : all) {
        placed.push_back({scene::inset(extent(text, measure), 0.05F), &text});
        const scene::Rect& r = placed.back().rect;
        EXPECT_TRUE(scene::inside(scene::inset(drawing.clip, -0.01F), r))
            << where << ": " << describe(text) << " leaves the area";
    }
    std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) { return a.rect.x < b.rect.x; });
    int faults = 0;
    for (std::size_t i = 0; i < placed.size() && faults < 3; ++i) {
        for (std::size_t j = i + 1; j < placed.size() && placed[j].rect.x < placed[i].rect.right() && faults < 3; ++j) {
            if (placed[i].rect.overlaps(placed[j].rect)) {
                ++faults;
                ADD_FAILURE() << where << ": " << describe(*placed[i].text) << " overlaps "
                              << describe(*placed[j].text);
            }
        }
    }
}

} // namespace warptree::tests
