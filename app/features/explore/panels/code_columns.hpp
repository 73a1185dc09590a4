// PTX and SASS beside the source, in its panel: which are shown, and the lines of all that belong together.
#pragma once

#include "app/features/explore/panels/panel.hpp"
#include "app/views/source/code_lines.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace warptree::panels {

class CodeColumns {
  public:
    // Draws the choice below the area; returns what is left of it.
    scene::Rect choose(Context& c, scene::Rect area);
    // Draws PTX and SASS where they are wanted; returns the source's part of the area. The trace is there.
    scene::Rect draw(Context& c, scene::Rect area);

    // What the source is to light, and a row that comes into view in place of the running one (kNone: none).
    const std::vector<std::uint32_t>& lit_source() const { return lit_.of(scene::CodeColumn::cuda); }
    std::uint32_t shown_source() const { return shown_source_; }
    std::uint32_t chosen_source(const Context& c) const;
    // The pointer is on a row of the source, and pressed it.
    void point_at_source(Context& c, std::uint32_t row, bool pressed);

  private:
    void keys(Context& c, const code::Disassembly& code);
    void column(Context& c, scene::Rect area, scene::CodeColumn which, const code::Disassembly& code);
    void light(Context& c, const code::Disassembly& code);

    std::vector<scene::SourceRow> source_;
    scene::LitLines lit_;
    std::array<float, scene::kCodeColumns> scroll_{};
    std::optional<scene::CodePlace> pointed_, next_pointed_; // of the frame before, of this one
    std::optional<scene::CodePlace> by_;                     // what the lines are lit by
    const Trace* trace_ = nullptr;
    const code::Disassembly* code_ = nullptr;
    std::array<bool, scene::kCodeColumns> follow_{}; // a lit line is to come into view
    std::uint32_t shown_source_ = kNone;
};

} // namespace warptree::panels
