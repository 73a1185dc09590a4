#include "app/pages/frame.hpp"

#include <algorithm>

namespace warptree::pages {

SideAndFigure side_and_figure(const panels::Context& c, const scene::Rect& area, const SideSize& size) {
    constexpr float kNarrow = 640, kGap = 6;
    const float gap = c.px(kGap);
    SideAndFigure out{{area.x, area.y, 0, 0}, area, area.w < c.px(kNarrow)};
    if (!c.explore.looks.presentation) {
        if (out.narrow) {
            out.side.w = area.w;
            out.side.h = std::min(area.h * size.height_share, c.px(size.height));
            out.figure = {area.x, out.side.bottom(), area.w, area.bottom() - out.side.bottom()};
        } else {
            out.side.w = std::min(area.w * size.width_share, c.px(size.width));
            out.side.h = area.h;
            out.figure = {out.side.right(), area.y, area.right() - out.side.right(), area.h};
        }
    }
    scene::Rect& f = out.figure;
    f = {f.x + gap, f.y + gap, f.w - 2 * gap, f.h - 2 * gap};
    return out;
}

void draw_in_side(panels::Context& c, const char* id, const scene::Rect& side,
                  const std::function<void(float width)>& draw) {
    if (side.w <= 0 || side.h <= 0) {
        return;
    }
    ImGui::SetNextWindowPos({side.x, side.y});
    ImGui::SetNextWindowSize({side.w, side.h});
    ImGui::Begin(id, nullptr, kFixed);
    const float pad = c.px(12);
    ImGui::SetCursorPos({pad, c.px(8)});
    ImGui::BeginChild("##inside", {side.w - 2 * pad, side.h - c.px(12)});
    draw(ImGui::GetContentRegionAvail().x);
    ImGui::EndChild();
    ImGui::End();
}

void tooltip(const panels::Context& c, const std::string& text) {
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(std::min(c.px(460), ImGui::GetIO().DisplaySize.x * 0.8F));
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

scene::Rect last_item() {
    const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
    return {from.x, from.y, to.x - from.x, to.y - from.y};
}

} // namespace warptree::pages
