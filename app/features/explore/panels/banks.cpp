// The bank view as a panel: the choice of a warp and of one of its accesses, and the picture of it.
#include "app/features/explore/panels/canvas.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/views/banks/exchange.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string_view>

namespace warptree::panels {

namespace {
const char* word(const Launch& l, std::uint32_t exchange) {
    if (exchange >= l.requests.size()) {
        return "shuffle";
    }
    switch (l.requests[exchange].kind) {
    case AccessKind::shared_load: return "load";
    case AccessKind::shared_store: return "store";
    case AccessKind::global_load: return "global load";
    case AccessKind::global_store: return "global store";
    case AccessKind::shared_atomic: return "shared atomic";
    case AccessKind::atomic: return "atomic";
    case AccessKind::remote_load: return "load from another block";
    case AccessKind::remote_store: return "store to another block";
    case AccessKind::remote_atomic: return "atomic in another block";
    }
    return "";
}

bool asks_for_sectors(const Launch& l, std::uint32_t exchange) {
    return exchange < l.requests.size() && !l.requests[exchange].is_constant() &&
           (l.requests[exchange].kind == AccessKind::global_load ||
            l.requests[exchange].kind == AccessKind::global_store);
}

constexpr const char* kWhich = "Which access is shown (, and .)";

class Banks : public Panel {
  public:
    explicit Banks(bool alone) : alone_(alone) {}
    const char* id() const override { return "banks"; }
    const char* title() const override { return "Bank conflicts"; }
    std::string heading(const Context& c) const override {
        const Launch* l = launch_of(c);
        const std::uint32_t i = c.explore.shown_request();
        return l == nullptr ? title() : scene::exchange_heading(*l, i);
    }
    std::string note(const Context& c) const override {
        const Launch* l = launch_of(c);
        const std::uint32_t i = c.explore.shown_request();
        const std::uint32_t block = l == nullptr || i == kNone ? kNone : scene::place_of_exchange(*l, i).block;
        return !c.explore.trace() ? ""
               : l == nullptr     ? "the host accesses none: shown is the last access of the launch"
               : block == kNone
                   ? ""
                   : fmt::format("block {}{}", block, asks_for_sectors(*l, i) ? ", sectors of 32 bytes" : "");
    }
    void draw(Context& c, scene::Rect area) override {
        const Launch* l = launch_of(c);
        if (l == nullptr) {
            draw_last(c, area);
            return;
        }
        const std::uint32_t shown = c.explore.shown_request();
        if (area.h > c.px(120)) {
            const float row = choices(c, *l, shown, area);
            area.y += row;
            area.h -= row;
        }
        if (shown == kNone && c.explore.warp != kNone && c.explore.playback.moment().step < c.explore.hidden_from) {
            paint(c, scene::draw_idle_warp(view_of(c), area, c.explore.block, c.explore.warp), "##banks");
            return;
        }
        paint(c, scene::draw_banks(view_of(c), area, shown), "##banks");
    }

  private:
    static const Launch* launch_of(const Context& c) {
        const auto& trace = c.explore.trace();
        const std::uint32_t launch = c.explore.playback.moment().launch;
        return trace && launch < trace->launches.size() ? &trace->launches[launch] : nullptr;
    }

    // While the host combines: the last step of the last launch.
    static void draw_last(Context& c, const scene::Rect& area) {
        if (!c.explore.trace() || c.explore.trace()->launches.empty() ||
            c.explore.trace()->launches.back().steps.empty()) {
            return;
        }
        const Trace& trace = *c.explore.trace();
        scene::ViewContext view = view_of(c);
        view.moment = {static_cast<std::uint32_t>(trace.launches.size() - 1),
                       static_cast<std::uint32_t>(trace.launches.back().steps.size() - 1), 1};
        const scene::Target block{scene::Target::Kind::block, view.moment.launch, c.explore.block, 0};
        paint(c, scene::draw_banks(view, area, scene::default_exchange(trace, view.moment, block)), "##banks");
    }

    // The row of buttons; returns its height.
    float choices(Context& c, const Launch& l, std::uint32_t shown, const scene::Rect& area) const {
        session::Explore& e = c.explore;
        const auto all = e.shown_requests();
        const bool several_warps = l.block > kWarpSize;
        if (alone_ && !several_warps && all.size() < 2) {
            return 0;
        }
        ImGui::SetCursorScreenPos({area.x, area.y});
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {c.px(5), c.px(2)});
        ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {c.px(4), c.px(3)});
        const float height = ImGui::GetFrameHeight() + c.px(6);
        if (!alone_) {
            if (chip(c, "memory", false, "The elements of an array after the step (M)")) {
                e.next_array();
            }
            ImGui::SameLine(0, c.px(10));
        }
        if (several_warps) {
            arrow(c, "##warp-before", -1);
            const std::uint32_t warp = shown != kNone    ? scene::place_of_exchange(l, shown).warp
                                       : e.warp == kNone ? 0
                                                         : e.warp;
            ImGui::SameLine();
            ImGui::AlignTextToFramePadding();
            ImGui::Text("warp %u", warp);
            ImGui::SameLine();
            arrow(c, "##warp-after", 1);
        }
        requests(c, l, all, shown, area, several_warps);
        ImGui::PopStyleVar(2);
        return height;
    }

    static void arrow(Context& c, const char* id, int direction) {
        const float side = ImGui::GetFrameHeight();
        const ImVec2 at = ImGui::GetCursorScreenPos();
        if (ImGui::Button(id, {side, side})) {
            c.explore.next_warp(direction);
        }
        if (ImGui::IsItemHovered()) {
            pages::tooltip(c, direction < 0 ? "Previous warp (<)" : "Next warp (>)");
        }
        const ImVec2 m{at.x + side / 2, at.y + side / 2};
        const float r = side * 0.2F * static_cast<float>(direction);
        ImGui::GetWindowDrawList()->AddTriangleFilled({m.x - r * 0.7F, m.y - r}, {m.x - r * 0.7F, m.y + r},
                                                      {m.x + r, m.y}, ImGui::GetColorU32(ImGuiCol_Text));
    }

    // One chip per access; if they do not fit, a single one with the number of the shown access that goes to the next.
    static void requests(Context& c, const Launch& l, const std::vector<std::uint32_t>& all, std::uint32_t shown,
                         const scene::Rect& area, bool behind) {
        if (all.empty()) {
            return;
        }
        std::vector<std::string> names;
        float width = 0;
        for (const std::uint32_t i : all) {
            const char* kind = word(l, i);
            const auto same = [&](std::uint32_t j) { return word(l, j) == std::string_view(kind); };
            const auto of_kind = std::count_if(all.begin(), all.end(), same);
            const auto before = std::count_if(all.begin(), std::find(all.begin(), all.end(), i), same);
            names.push_back(of_kind == 1 ? kind : fmt::format("{} {}", kind, before + 1));
            width += ImGui::CalcTextSize(names.back().c_str()).x + 2 * ImGui::GetStyle().FramePadding.x +
                     ImGui::GetStyle().ItemSpacing.x;
        }
        float x = ImGui::GetCursorScreenPos().x;
        if (behind) {
            ImGui::SameLine(0, c.px(10));
            x = ImGui::GetCursorScreenPos().x;
        }
        const auto here = std::find(all.begin(), all.end(), shown) - all.begin();
        if (x + width <= area.right()) {
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (chip(c, names[i] + "##" + std::to_string(i), std::ssize(all) > 1 && here == static_cast<int>(i),
                         kWhich)) {
                    c.explore.request = static_cast<std::uint32_t>(i);
                }
                ImGui::SameLine();
            }
        } else if (here < std::ssize(all)) {
            const std::string count = fmt::format("{} of {}##request", here + 1, all.size());
            if (chip(c, count, true, kWhich)) {
                c.explore.next_request(1);
            }
        }
    }

    bool alone_;
};
} // namespace

std::unique_ptr<Panel> make_banks(bool alone) { return std::make_unique<Banks>(alone); }

} // namespace warptree::panels
