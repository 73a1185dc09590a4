// What the figures of the topics share: text that fits, wrapped sentences, tables.
#pragma once

#include "app/features/theory/topic.hpp"
#include "app/views/plots/plot.hpp"

#include <string>
#include <utility>
#include <vector>

namespace warptree::topics {

// A drawing in the making. Text is left out, or cut with "…", rather than drawn over something.
class Figure {
  public:
    Figure(const FigureContext& context, scene::Rect area);

    const FigureContext& context() const { return context_; }
    const scene::Theme& theme() const { return *context_.theme; }
    const scene::Rect& area() const { return drawing_.clip; }
    float px(float at_scale_1) const { return context_.px(at_scale_1); }
    float body() const { return px(15); } // size of text
    float small() const { return px(13); }
    float line_height(float size) const { return size * 1.45F; }
    float width(const std::string& text, float size, scene::Face face = scene::Face::sans) const {
        return context_.measure->width(text, face, size);
    }

    // Another drawing, above what is there.
    void add(scene::Drawing&& other);
    scene::PlotContext plot() const { return {context_.theme, context_.measure, context_.scale}; }

    scene::Layer& layer() { return drawing_.layers.back(); }
    void next_layer() { drawing_.layers.emplace_back(); }
    scene::Drawing& drawing() { return drawing_; }
    scene::Drawing take() { return std::move(drawing_); }

    // One line in `room`, vertically centred, cut when too long; nothing if it is too low.
    void text(const scene::Rect& room, const std::string& text, float size, scene::Color color,
              scene::Align align = scene::Align::left, scene::Face face = scene::Face::sans);
    // As many lines as fit into `room`; returns the height used.
    float paragraph(const scene::Rect& room, const std::string& text, float size, scene::Color color);
    float paragraph_height(float width, const std::string& text, float size) const;
    void box(const scene::Rect& rect, scene::Color fill, scene::Color stroke = {0, 0, 0, 0},
             scene::Pattern pattern = scene::Pattern::plain, scene::Color pattern_color = {0, 0, 0, 0});
    void line(scene::Point from, scene::Point to, float width, scene::Color color, float dash = 0);

  private:
    std::vector<std::string> wrapped(const std::string& text, float size, float room) const;

    FigureContext context_;
    scene::Drawing drawing_;
};

// "; no more are summed here", where fewer elements were than asked for.
std::string cut(std::uint64_t asked, std::uint64_t summed, std::uint64_t most);

// Two areas side by side; in a narrow room one below the other, in one also low only the first. `first`: its share.
std::pair<scene::Rect, scene::Rect> split(const Figure& figure, const scene::Rect& room, float first);

// Rows of cells under a heading. Columns are as wide as their text; if the area is too narrow the text shrinks to four
// fifths, then columns are left out, lowest TableColumn::keep first; rows that do not fit are counted in a last line.
// Returns the height used.
float draw_table(Figure& figure, const scene::Rect& room, const Table& table);

} // namespace warptree::topics
