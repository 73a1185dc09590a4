// The story of a whole program as a row of cells: allocations, copies, launches, what it prints, how it ends.
#pragma once

#include "app/views/views.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warptree::scene {

struct StoryCell {
    enum class Mark : std::uint8_t { plain, good, risk, fault };
    std::string title, detail;    // "h_in → d_in", "copy 4 KB in"
    std::uint32_t launch = kNone; // of Trace::launches, which it stands for
    SourceLine line = SourceLine::none();
    Mark mark = Mark::plain;
    bool prints = false;
    std::string told; // in full, in several lines
    friend bool operator==(const StoryCell&, const StoryCell&) = default;
};

// None for a kernel alone. Events in a row that free memory share a cell; those that only wait have none. What was found
// about the program marks the cell of its line, or the last.
std::vector<StoryCell> story_cells(const Trace& trace);

// The first launch that is wrong, else the one with the most combines, the first of several; 0 without any.
std::uint32_t telling_launch(const Trace& trace);

// The cells of a trace side by side, as wide as their words need, within bounds.
struct StoryRow {
    struct Place {
        float x = 0, w = 0; // pixels from the row's beginning
    };
    std::vector<StoryCell> cells;
    std::vector<Place> places; // of each cell
    float width = 0;           // of all
};
StoryRow lay_out_story(const Trace& trace, const TextMeasure& measure, float scale);
inline constexpr float kStoryHeight = 46; // of the cells with two lines, at scale 1
inline constexpr float kLowStory = 26;    // with the first alone

// The least change of `scroll` (pixels) that shows the launch's cell whole in a width.
float scroll_to_launch(const StoryRow& row, std::uint32_t launch, float width, float scroll, float scale);
// What the scroll may be: 0 … the overhang.
float clamped_scroll(const StoryRow& row, float width, float scroll);
// The cell at a place in an area; kNone: none.
std::uint32_t cell_at(const StoryRow& row, const Rect& area, float scroll, Point at);

// The launch of the moment is lit. Cells of launches are targets.
Drawing draw_story(const ViewContext& context, const Rect& area, const StoryRow& row, float scroll);

} // namespace warptree::scene
