#include "app/features/timings/panels/timings_series.hpp"

#include "app/features/widgets/color.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/views/plots/plot_frame.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

namespace warptree::pages {

using panels::PanelKey;

namespace {

std::string origin(const timing::Series& s) {
    const timing::Provenance& p = s.provenance;
    std::string out = fmt::format("{}: {} points", s.name, s.points.size());
    for (const auto& [before, text] : {std::pair{"", p.source},
                                       {"device ", p.device},
                                       {"compute capability ", p.compute_capability},
                                       {"driver ", p.driver},
                                       {"toolkit ", p.toolkit},
                                       {"flags ", p.compiler_flags},
                                       {"commit ", p.commit},
                                       {"", p.date}}) {
        out += text.empty() ? "" : "\n" + std::string(before) + text;
    }
    if (p.theoretical_bytes_per_second > 0) {
        out += "\ntheoretical peak " + timing::rate_text(p.theoretical_bytes_per_second);
    }
    return out;
}
} // namespace

void SeriesList::draw(panels::Context& c, const session::Timings& timings,
                      const std::function<void(std::size_t)>& toggle, const std::function<void(std::size_t)>& go_to,
                      const std::function<void(const std::string&, scene::Rect)>& placed) {
    auto& k = c.keyboard;
    const int count = static_cast<int>(timings.count());
    const bool here = k.on("series");
    if (here && count == 0) {
        k.leave(1);
    } else if (here) {
        if (k.arrived() != 0) {
            cursor_ = k.arrived() > 0 ? 0 : count - 1;
        }
        const int next = k.take(PanelKey::next) ? 1 : k.take(PanelKey::previous) ? -1 : 0;
        cursor_ = std::clamp(cursor_ + (k.take(PanelKey::down) ? 1 : 0) - (k.take(PanelKey::up) ? 1 : 0), 0, count - 1);
        if (next != 0) {
            k.leave(next);
        } else if (k.take(PanelKey::enter)) { // and gives the keyboard back to the figure
            toggle(static_cast<std::size_t>(cursor_));
            k.done();
        } else if (k.take(PanelKey::right) || k.take(PanelKey::left)) {
            toggle(static_cast<std::size_t>(cursor_));
        }
    }
    for (std::size_t i = 0; i < timings.count(); ++i) {
        const timing::Series& s = timings.series(i);
        bool on = timings.shown(i);
        ImGui::PushID(static_cast<int>(i));
        const bool turned = ImGui::Checkbox("##on", &on);
        if (here && static_cast<int>(i) == cursor_) {
            panels::focus_ring(c);
        }
        const scene::Rect box = last_item();
        placed(fmt::format("series-{}", i), box);
        ImGui::SameLine();
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float side = c.px(10), y = box.y + (box.h - side) / 2;
        ImGui::GetWindowDrawList()->AddRectFilled({at.x, y}, {at.x + side, y + side},
                                                  u32(scene::series_style(c.theme, i).color), c.px(2));
        ImGui::SetCursorScreenPos({at.x + side + c.px(6), at.y});
        ImGui::AlignTextToFramePadding();
        ImGui::TextUnformatted(s.name.c_str());
        if (ImGui::IsItemHovered()) {
            tooltip(c, origin(s));
        }
        const bool named = ImGui::IsItemClicked();
        bool goes = false;
        if (on && !turned && !timings.offers(s)) {
            ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {c.px(5), c.px(1)});
            goes = ImGui::Button(fmt::format("go to {}", timings.first_conditions(i)).c_str());
            ImGui::PopStyleVar();
            placed(fmt::format("series-go-{}", i), last_item());
        }
        ImGui::PopID();
        if (goes) {
            go_to(i);
        }
        if (turned || named) {
            toggle(i);
        }
    }
    if (timings.count() == 0) {
        ImGui::TextUnformatted("no series ships with this program; open a result file");
    }
    k.end_frame("series");
}

} // namespace warptree::pages
