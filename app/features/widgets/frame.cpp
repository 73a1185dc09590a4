#include "app/features/widgets/frame.hpp"

#include <algorithm>

namespace warptree::pages {

SideAndFigure side_and_figure(const panels::Context& c, const scene::Rect& area, const SideSize& size) {
    constexpr float kNarrow = 640, kGap = 6;
    const float gap = c.px(kGap);
    SideAndFigure out{{area.x, area.y, 0, 0}, area, area.w < c.px(kNarrow)};
    if (!c.figure_alone) {
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
    begin_fixed(id, side);
    const float pad = c.px(12);
    ImGui::SetCursorPos({pad, c.px(8)});
    ImGui::BeginChild("##inside", {side.w - 2 * pad, side.h - c.px(12)});
    draw(ImGui::GetContentRegionAvail().x);
    ImGui::EndChild();
    end_fixed();
}

std::string in_lines(const std::string& text, float width) {
    const float space = ImGui::CalcTextSize(" ").x;
    std::string out;
    float x = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
        const float wide = ImGui::CalcTextSize(text.data() + at, text.data() + end).x;
        if (x > 0 && x + wide > width && out.back() == ' ') {
            out.back() = '\n';
            x = 0;
        }
        out.append(text, at, end - at);
        x += wide;
        if (end < text.size()) {
            out += text[end];
            x = text[end] == '\n' ? 0 : x + space;
        }
        at = end + 1;
    }
    return out;
}

void tooltip(const panels::Context& c, const std::string& said, const scene::Rect* about) {
    if (!c.tells) {
        return;
    }
    const scene::Rect item = about != nullptr ? *about : last_item();
    const ImVec2 display = ImGui::GetIO().DisplaySize, pad = ImGui::GetStyle().WindowPadding;
    const ImVec2 mouse = ImGui::GetMousePos();
    const float wrap = std::min(c.px(460), display.x * 0.8F), away = c.px(14);
    const std::string text = in_lines(said, wrap);
    const ImVec2 words = ImGui::CalcTextSize(text.c_str(), nullptr, false, wrap);
    // Text larger than the window is scaled down.
    const float scale = std::min(
        {1.0F, (display.y - 2 * pad.y) / std::max(1.0F, words.y), (display.x - 2 * pad.x) / std::max(1.0F, words.x)});
    const float w = words.x * scale + 2 * pad.x, h = words.y * scale + 2 * pad.y;
    const bool left = mouse.x + away + w > display.x && mouse.x - away - w >= 0;
    const float x = left ? mouse.x - away - w : std::clamp(mouse.x + away, 0.0F, std::max(0.0F, display.x - w));
    const bool low = item.h <= c.px(64) && item.contains({mouse.x, mouse.y});
    const float under = (low ? item.bottom() : mouse.y) + (low ? c.px(5) : away);
    const float over = item.y - c.px(5) - h; // where there is no room below
    const float y =
        low && under + h > display.y && over >= 0 ? over : std::clamp(under, 0.0F, std::max(0.0F, display.y - h));
    c.placed("tooltip", {x, y, w, h});
    ImGui::SetNextWindowPos({x, y});
    ImGui::BeginTooltip();
    ImGui::SetWindowFontScale(scale);
    ImGui::PushTextWrapPos(pad.x + wrap * scale + 1);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::SetWindowFontScale(1);
    ImGui::EndTooltip();
}

scene::Rect last_item() {
    const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
    return {from.x, from.y, to.x - from.x, to.y - from.y};
}

} // namespace warptree::pages
