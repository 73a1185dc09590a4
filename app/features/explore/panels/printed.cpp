#include "app/features/explore/panels/printed.hpp"

#include "app/base/printable.hpp"
#include "app/features/explore/panels/canvas.hpp"
#include "app/features/widgets/color.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

namespace warptree::panels {

const std::string& printed_of(const session::Explore& explore) {
    static const std::string nothing;
    const auto& trace = explore.trace();
    const std::uint32_t launch = explore.playback.moment().launch;
    return !trace ? nothing
           : explore.on_program() || trace->launches.empty()
               ? trace->program.printed
               : trace->launches[std::min<std::size_t>(launch, trace->launches.size() - 1)].printed;
}

scene::Rect Printed::draw(Context& c, scene::Rect area) {
    const std::string& printed = printed_of(c.explore);
    if (!c.explore.printed || printed.empty()) {
        return area;
    }
    const std::uint32_t launch = c.explore.playback.moment().launch;
    if (trace_.lock() != c.explore.trace() || launch_ != launch) {
        trace_ = c.explore.trace();
        launch_ = launch;
        text_ = printable_lines(printed);
        lines_ =
            static_cast<std::size_t>(std::count(text_.begin(), text_.end(), '\n')) + (text_.ends_with('\n') ? 0 : 1);
    }
    const float line = ImGui::GetTextLineHeightWithSpacing();
    const float tall =
        std::min(area.h * 0.6F, line * static_cast<float>(std::min<std::size_t>(lines_, 100) + 1) + c.px(16));
    const float top = area.bottom() - tall;
    ImGui::GetWindowDrawList()->AddLine({area.x, top}, {area.right(), top}, ImGui::GetColorU32(ImGuiCol_Separator));
    ImGui::SetCursorScreenPos({area.x, top + c.px(4)});
    ImGui::TextColored(vec(c.theme.muted), "%s",
                       fmt::format("printed{}{}", lines_ == 1 ? "" : fmt::format(", {} lines", lines_),
                                   c.explore.dimmed() ? ", by the run before" : "")
                           .c_str());
    ImGui::SameLine();
    if (ImGui::SmallButton("Copy")) {
        ImGui::SetClipboardText(text_.c_str());
    }
    const float used = ImGui::GetCursorScreenPos().y - top;
    ImGui::BeginChild("##printed", {area.w, std::max(1.0F, tall - used)}, false, ImGuiWindowFlags_HorizontalScrollbar);
    ImGui::PushFont(c.fonts.mono());
    ImGui::TextUnformatted(text_.c_str(), text_.c_str() + text_.size());
    ImGui::PopFont();
    dim_what_is_old(c, {area.x, top + used, area.w, tall - used});
    ImGui::EndChild();
    c.placed("printed", {area.x, top, area.w, tall});
    return {area.x, area.y, area.w, std::max(0.0F, top - area.y - c.px(3))};
}

} // namespace warptree::panels
