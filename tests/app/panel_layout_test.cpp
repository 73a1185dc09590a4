// Panel placement at every size of window and text, with splitters anywhere.
#include "app/features/explore/panels/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace warptree::panels {
namespace {

struct Case {
    float width, height, scale, share;
    bool presentation;
};

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const auto& [w, h] : {std::pair{640.0F, 400.0F}, {1280.0F, 720.0F}, {1920.0F, 1080.0F}, {3840.0F, 2160.0F}}) {
        for (const float scale : session::kScales) {
            for (const float share : {0.2F, 1.0F, 6.0F}) {
                all.push_back({w, h, scale, share, false});
                all.push_back({w, h, scale, share, true});
            }
        }
    }
    return all;
}

Layout of(const Case& c) {
    session::Looks looks;
    looks.scale = c.scale;
    looks.presentation = c.presentation;
    looks.left = looks.right = looks.lower = c.share;
    return layout(c.width, c.height, looks);
}

std::string describe(const Case& c) {
    return std::to_string(c.width) + "x" + std::to_string(c.height) + " at " + std::to_string(c.scale) + ", share " +
           std::to_string(c.share) + (c.presentation ? ", presentation" : "");
}

TEST(PanelLayout, TheSourceHasSixtyColumnsWhereThereIsRoom) {
    constexpr float kColumn = 6.9F, kBeside = 66; // pixels per character of the source; line numbers and edges
    const Layout l = of({1920, 1080, 1, 1, false});
    const auto source =
        std::find_if(l.places.begin(), l.places.end(), [](const auto& p) { return p.first == "source"; });
    ASSERT_NE(source, l.places.end());
    EXPECT_GE(source->second.w, 60 * kColumn + kBeside);
}

// With a program's story above it, too.
TEST(PanelLayout, TheTreeIsTheLargest) {
    for (const bool story : {false, true}) {
        const Layout l = layout(1920, 1080, session::Looks(), false, story);
        const auto tree =
            std::find_if(l.places.begin(), l.places.end(), [](const auto& p) { return p.first == "tree"; });
        ASSERT_NE(tree, l.places.end());
        EXPECT_GE(tree->second.w * tree->second.h, 0.4F * 1920 * 1080) << story;
    }
}

// Beside the source of an own kernel, too, and in large text.
TEST(PanelLayout, TheTreeHasItsRoomBesideAnEditor) {
    const auto share = [](float scale, bool story) {
        session::Looks looks;
        looks.scale = scale;
        const Layout l = layout(1920, 1080, looks, true, story);
        const auto tree = std::ranges::find(l.places, "tree", [](const auto& p) { return p.first; });
        return tree->second.w * tree->second.h / (1920 * 1080);
    };
    EXPECT_GE(share(1, false), 0.4F);
    EXPECT_GE(share(1, true), 0.39F);
    EXPECT_GE(share(2, false), 0.25F);
}

TEST(PanelLayout, StaysInTheWindowAndNeverOverlaps) {
    for (const Case& c : cases()) {
        const Layout l = of(c);
        for (std::size_t i = 0; i < l.places.size(); ++i) {
            const scene::Rect& r = l.places[i].second;
            EXPECT_GT(r.w, 0) << l.places[i].first << ": " << describe(c);
            EXPECT_GT(r.h, 0) << l.places[i].first << ": " << describe(c);
            EXPECT_TRUE(r.x > -1 && r.y >= l.top - 1 && r.right() < c.width + 1 && r.bottom() < c.height + 1)
                << l.places[i].first << ": " << describe(c);
            const scene::Rect inner{r.x + 1, r.y + 1, r.w - 2, r.h - 2};
            for (std::size_t j = 0; j < i; ++j) {
                EXPECT_FALSE(inner.overlaps(l.places[j].second))
                    << l.places[i].first << " over " << l.places[j].first << ": " << describe(c);
            }
        }
    }
}

TEST(PanelLayout, EveryPanelHasAPlaceOrIsFolded) {
    for (const Case& c : cases()) {
        const Layout l = of(c);
        for (const char* id : {"strategies", "parameters", "tree", "warps", "banks", "source", "step", "transport"}) {
            const auto placed =
                std::count_if(l.places.begin(), l.places.end(), [&](const auto& p) { return p.first == id; });
            const auto folded = std::count(l.folded.begin(), l.folded.end(), id);
            EXPECT_EQ(placed + folded, 1) << id << ": " << describe(c);
        }
    }
}

TEST(PanelLayout, NoSplitterMakesAPanelUseless) {
    for (const Case& c : cases()) {
        if (c.width < 1000 || c.presentation) {
            continue;
        }
        const Layout l = of(c);
        for (const auto& [id, r] : l.places) {
            if (id != "transport" && l.folded.empty()) {
                EXPECT_GE(r.w, 100 * c.scale) << id << ": " << describe(c);
                EXPECT_GE(r.h, 100 * c.scale) << id << ": " << describe(c);
            }
        }
        for (const Splitter& s : l.splitters) {
            EXPECT_LT(s.least, s.most) << s.id << ": " << describe(c);
        }
    }
}

} // namespace
} // namespace warptree::panels
