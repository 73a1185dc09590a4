// The columns of the Compare page: a trace each, with what the mouse points at or has selected highlighted in all of them.
#pragma once

#include "app/features/compare/compare.hpp"
#include "app/features/compare/comparison.hpp"
#include "app/features/screen.hpp"

#include <string>
#include <vector>

namespace warptree::pages {

class CompareColumns {
  public:
    // Both outlive this.
    CompareColumns(session::Comparison& comparison, const Tools& tools) : comparison_(comparison), tools_(tools) {}

    // What each column shows now, or why it has no trace.
    std::vector<scene::CompareColumn> described() const;
    // Draws them, each in its rectangle; a click selects.
    void draw(panels::Context& context, const scene::CompareLook& look, const std::vector<scene::Rect>& rects,
              scene::ComparePart part);

    // What is highlighted, by column, in words.
    const std::vector<std::string>& lit() const { return lit_; }
    bool selected() const { return selected_.kind != scene::Target::Kind::none; }
    void unselect() { selected_ = {}; }
    // When the traces are others.
    void forget() { hover_ = selected_ = {}; }

  private:
    // True: the pointer is on it.
    bool draw(panels::Context& context, const scene::CompareLook& look, const scene::Rect& rect,
              const scene::CompareColumn& column, std::size_t index, scene::ComparePart part, scene::Target& hover);

    session::Comparison& comparison_;
    const Tools& tools_;
    std::size_t column_ = 0, selected_column_ = 0;
    scene::Target hover_, selected_; // in column_, selected_column_
    std::vector<std::string> lit_;
};

} // namespace warptree::pages
