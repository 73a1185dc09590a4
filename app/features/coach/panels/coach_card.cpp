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
    const float pad_x = c.px(14), pad_y = c.px(10);
    const float width = std::min(c.px(380), display.x * 0.8F);
    const char* const next = last ? "Done (Enter)" : "Next (Enter)";
    const char* const dismiss = "Skip the rest (Esc)";
    const ImGuiStyle& style = ImGui::GetStyle();
    const float buttons =
        ImGui::CalcTextSize(next).x + ImGui::CalcTextSize(dismiss).x + 4 * style.FramePadding.x + style.ItemSpacing.x;
    const bool beside = buttons <= width - 2 * pad_x;
    const float height = 2 * pad_y + ImGui::GetTextLineHeightWithSpacing() +
                         ImGui::CalcTextSize(step.text, nullptr, false, width - 2 * pad_x).y +
                         (beside ? 1.0F : 2.0F) * ImGui::GetFrameHeightWithSpacing() + 2 * style.ItemSpacing.y +
                         c.px(4);
    const auto color = [](const scene::Color& k) { return IM_COL32(k.r, k.g, k.b, 255); };
    // In the panel's lower right corner, above the transport.
    const bool transport = at.h > 0 && at.y > display.y * 0.7F;
    const float x = at.w <= 0 ? (display.x - width) / 2
                              : std::clamp(transport ? at.x + at.w * 0.3F : at.right() - width * 0.4F, c.px(8),
                                           display.x - width - c.px(8));
    const float y = at.w <= 0 ? display.y / 2 : transport ? at.y - c.px(10) : at.bottom() - c.px(10);
    const float top = std::clamp(y - height, c.px(4), std::max(c.px(4), display.y - height));
    ImGui::SetNextWindowPos({x, top});
    ImGui::SetNextWindowSize({width, height});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {pad_x, pad_y});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, c.px(2));
    ImGui::PushStyleColor(ImGuiCol_Border, color(c.theme.accent));
    ImGui::Begin("coach", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
    ImGui::PushFont(c.fonts.bold());
    ImGui::TextUnformatted(fmt::format("{}. {}", coach.at() + 1, step.title).c_str());
    ImGui::PopFont();
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(step.text);
    ImGui::PopTextWrapPos();
    ImGui::Dummy({0, c.px(2)});
    CoachClick click = CoachClick::none;
    if (ImGui::Button(next)) {
        click = CoachClick::next;
    }
    c.placed("coach-next", pages::last_item());
    if (beside) {
        ImGui::SameLine();
    }
    if (ImGui::Button(dismiss)) {
        click = CoachClick::dismiss;
    }
    c.placed("coach-dismiss", pages::last_item());
    ImGui::End();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(2);
    if (at.w > 0) { // a frame around the panel that it explains
        ImGui::GetForegroundDrawList()->AddRect({at.x + c.px(1), at.y + c.px(1)},
                                                {at.right() - c.px(1), at.bottom() - c.px(1)}, color(c.theme.accent),
                                                c.px(4), 0, c.px(2));
    }
    return click;
}

} // namespace warptree::panels
