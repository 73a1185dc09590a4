#include "app/features/coach/panels/coach_card.hpp"

#include "app/features/widgets/frame.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

namespace warptree::panels {

CoachClick draw_coach(const Context& c, const session::Coach& coach, const scene::Rect& at) {
    const session::Coach::Step& step = coach.step();
    const bool last = coach.at() + 1 == session::Coach::steps().size();
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const float width = std::min(c.px(360), display.x * 0.6F);
    const auto color = [](const scene::Color& k) { return IM_COL32(k.r, k.g, k.b, 255); };
    // In the panel's lower right corner, above the transport.
    const bool transport = at.h > 0 && at.y > display.y * 0.7F;
    const float x = at.w <= 0 ? display.x / 2
                              : std::clamp(transport ? at.x + at.w * 0.3F : at.right() - width * 0.4F, c.px(8),
                                           display.x - width - c.px(8));
    const float y = at.w <= 0 ? display.y / 2 : transport ? at.y - c.px(10) : at.bottom() - c.px(10);
    ImGui::SetNextWindowPos({x, y}, ImGuiCond_Always, {0, 1});
    ImGui::SetNextWindowSize({width, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {c.px(14), c.px(10)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, c.px(2));
    ImGui::PushStyleColor(ImGuiCol_Border, color(c.theme.accent));
    ImGui::Begin("coach", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_AlwaysAutoResize);
    ImGui::PushFont(c.fonts.bold());
    ImGui::TextUnformatted(fmt::format("{}. {}", coach.at() + 1, step.title).c_str());
    ImGui::PopFont();
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(step.text);
    ImGui::PopTextWrapPos();
    ImGui::Dummy({0, c.px(2)});
    CoachClick click = CoachClick::none;
    if (ImGui::Button(last ? "Done (Enter)" : "Next (Enter)")) {
        click = CoachClick::next;
    }
    if (c.placed) {
        c.placed("coach-next", pages::last_item());
    }
    ImGui::SameLine();
    if (ImGui::Button("No more of this (Esc)")) {
        click = CoachClick::dismiss;
    }
    if (c.placed) {
        c.placed("coach-dismiss", pages::last_item());
    }
    ImGui::End();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(2);
    if (at.w > 0) { // what it is about
        ImGui::GetForegroundDrawList()->AddRect({at.x + c.px(1), at.y + c.px(1)},
                                                {at.right() - c.px(1), at.bottom() - c.px(1)}, color(c.theme.accent),
                                                c.px(4), 0, c.px(2));
    }
    return click;
}

} // namespace warptree::panels
