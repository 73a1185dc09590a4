// PTX and SASS beside the source, in its panel: which are shown, and which lines correspond.
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
    // Draws the buttons below the area; returns the rest of it.
    scene::Rect choose(Context& c, scene::Rect area);
    // Draws PTX and SASS if they are chosen; returns the source's part of the area. Needs a trace.
    scene::Rect draw(Context& c, scene::Rect area);

    // What the source highlights, and a row to show instead of the running one (kNone: none).
    const std::vector<std::uint32_t>& lit_source() const { return lit_.of(scene::CodeColumn::cuda); }
    std::uint32_t shown_source() const { return shown_source_; }
    std::uint32_t chosen_source(const Context& c) const;
    // The pointer is on a row of the source; `pressed`: it clicked.
    void point_at_source(Context& c, std::uint32_t row, bool pressed);

  private:
    void keys(Context& c, const code::Disassembly& code);
    void column(Context& c, scene::Rect area, scene::CodeColumn which, const code::Disassembly& code);
    std::size_t rows(scene::CodeColumn which, const code::Disassembly& code) const;
    // Drops a chosen line that does not exist (a state string may name one), and keeps the reason.
    void refuse_what_is_not_there(Context& c, const code::Disassembly& code);
    void light(Context& c, const code::Disassembly& code);

    std::vector<scene::SourceRow> source_;
    scene::LitLines lit_;
    std::string refused_; // why the chosen line was dropped; until one is chosen
    std::array<float, scene::kCodeColumns> scroll_{};
    std::optional<scene::CodePlace> pointed_, next_pointed_; // in the previous frame, in this one
    std::optional<scene::CodePlace> by_;                     // the place whose counterparts are highlighted
    const Trace* trace_ = nullptr;
    const code::Disassembly* code_ = nullptr;
    std::array<bool, scene::kCodeColumns> follow_{}; // scroll a highlighted line into view
    std::uint32_t shown_source_ = kNone;
};

} // namespace warptree::panels
