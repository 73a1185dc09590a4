#include "app/features/explore/panels/tree_bar.hpp"

#include "app/features/explore/panels/canvas.hpp"
#include "app/features/widgets/color.hpp"
#include "app/features/widgets/frame.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

namespace warptree::panels {

namespace {
constexpr double kFlight = 0.6; // seconds
using scene::Frame;
using scene::Rect;

const Launch* launch_of(const session::Explore& e) {
    const std::uint32_t launch = e.playback.moment().launch;
    return e.trace() && launch < e.trace()->launches.size() ? &e.trace()->launches[launch] : nullptr;
}
std::uint32_t block_of(const session::Explore& e, const Launch& l) {
    return l.in_window(e.block) ? e.block : l.window_first;
}

// A button that stays lit while the tree shows that frame; returns its right edge.
float choice(Context& c, float x, const Rect& bar, Frame frame, const std::string& text, const std::string& tip) {
    session::Explore& e = c.explore;
    const bool lit = e.frame == frame;
    const float w = ImGui::CalcTextSize(text.c_str()).x + c.px(16);
    ImGui::SetCursorScreenPos({x, bar.y});
    ImGui::PushStyleColor(ImGuiCol_Button, u32(lit ? c.theme.accent_fill : c.theme.background));
    const std::string id = fmt::format("{}##frame-{}", text, name(frame));
    if (ImGui::Button(id.c_str(), {w, bar.h})) {
        e.frame = frame;
    }
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) {
        pages::tooltip(c, tip);
    }
    c.placed(fmt::format("tree-{}", name(frame)), {x, bar.y, w, bar.h});
    return x + w;
}
} // namespace

float TreeBar::height(const Context& c, const Rect& area) {
    const session::Explore& e = c.explore;
    const Launch* l = launch_of(e);
    const float rows = l == nullptr ? 0 : c.px(6) * static_cast<float>(l->steps.size());
    const bool wants = l != nullptr && area.h >= std::max(c.px(110), c.px(34) + rows) && area.w >= c.px(200);
    return wants && (e.frame != Frame::all || scene::is_crowded(view_of(c), area)) ? c.px(34) : 0;
}

void TreeBar::fly(Context& c, const Rect& area) {
    session::Explore& e = c.explore;
    const session::Moment& m = e.playback.moment();
    const bool begins = e.playback.playing() && !playing_;
    playing_ = e.playback.playing();
    const auto view = view_of(c);
    const Launch* const l = launch_of(e);
    const bool crowded = scene::is_crowded(view, area);
    const bool overview = l != nullptr && !e.on_kernel() && l->window_count > 1; // of a strategy: how blocks share work
    e.needs_room = crowded && !overview;
    if (e.first_sight && l != nullptr && !e.stale() && (e.tries() || !e.runner().busy())) {
        e.first_sight = false;
        const bool ours = e.frame == Frame::all || (zoomed_to_read_ && e.frame == Frame::values);
        if (ours && presents_ == 0) {
            zoomed_to_read_ = e.needs_room;
            e.frame = zoomed_to_read_ ? Frame::values : Frame::all;
            e.jump = true;
        }
        presents_ = presents_ == 0 ? 0 : -1; // a presentation frames it in its own way
    }
    // For a presentation: digits for the last row, 28 pixels at 1080 lines; if need be of a part of the tree.
    const int presents = !e.looks.presentation ? 0 : e.full ? 2 : 1;
    if (presents != presents_ && l != nullptr) {
        constexpr float kLastRow = 28.0F / 1080;
        const bool ours = e.frame == Frame::all || (zoomed_to_read_ && e.frame == Frame::values);
        const float least = 0.95F * kLastRow * ImGui::GetIO().DisplaySize.y;
        zoomed_to_read_ = ours && (presents > 0 ? scene::least_digits(view, area) < least : e.needs_room);
        if (ours) {
            e.frame = zoomed_to_read_ ? Frame::values : Frame::all;
            e.jump = true;
        }
        presents_ = presents;
    }
    if (begins && e.looks.follow && crowded && e.frame == Frame::all) {
        e.frame = Frame::work;
    }
    const auto trace = e.trace();
    const Goal goal{e.frame, e.block, e.warp, m.launch, m.step};
    const bool other = trace_.lock() != trace || e.jump;
    if (other) {
        lasts_ = 0;
    } else if (goal != goal_) {
        from_ = e.camera;
        began_ = c.now;
        lasts_ = playing_ ? std::min(kFlight, kFlight / static_cast<double>(e.playback.speed())) : kFlight;
    }
    goal_ = goal;
    trace_ = trace;
    e.jump = false;
    if (e.frame == Frame::free) {
        lasts_ = 0;
    } else {
        const scene::Camera to = scene::camera_on(view, area, e.frame, e.block, e.warp);
        const double part = lasts_ > 0 ? (c.now - began_) / lasts_ : 1;
        lasts_ = part >= 1 || from_ == to ? 0 : lasts_;
        e.camera = lasts_ > 0 ? scene::between(from_, to, static_cast<float>(part)) : to;
    }
    e.flying = lasts_ > 0;
}

void TreeBar::draw(Context& c, const Rect& area, const Rect& bar) const {
    session::Explore& e = c.explore;
    const Launch* l = launch_of(e);
    if (l == nullptr || bar.h <= 0) {
        return;
    }
    const float gap = c.px(6);
    const Rect row{bar.x, bar.y + gap, bar.w, bar.h - gap};
    const std::uint32_t block = block_of(e, *l);
    const std::uint32_t warp =
        std::min(e.warp != kNone ? e.warp : scene::working_warp(view_of(c), block), l->warps() - 1);
    float x = row.x;
    // A narrow bar has no buttons for block and warp, a narrower one no buttons at all: keys and the map reach them.
    const bool all = row.w >= c.px(440);
    if (row.w >= c.px(220)) {
        x = choice(c, x, row, Frame::all, "All",
                   l->window_count > 1 ? fmt::format("all {} blocks that are traced (F)", l->window_count)
                                       : "all of the block (F)") +
            c.px(4);
        if (all && l->window_count > 1) {
            x = choice(c, x, row, Frame::block, fmt::format("Block {}", block), "one block (G goes in, Shift+G out)") +
                c.px(4);
        }
        if (all) {
            x = choice(c, x, row, Frame::warp, fmt::format("Warp {}", warp), "one warp (G; < and > go to the next)") +
                c.px(4);
        }
        x = choice(c, x, row, Frame::work, "Combining",
                   fmt::format("in each step what warp {} combines, and from where (J)\nplay {} (Shift+J)", warp,
                               e.looks.follow ? "zooms there by itself" : "leaves the tree as it is")) +
            c.px(8);
    }
    const Rect map{x, row.y, row.right() - x, row.h};
    const scene::Drawing drawing = scene::draw_map(view_of(c), area, e.camera, map);
    const scene::Target before = e.selected;
    paint(c, drawing, "##map");
    if (e.selected != before) { // a click goes there without selecting it
        e.selected = before;
        e.frame = e.frame == Frame::all || e.frame == Frame::free ? (l->window_count > 1 ? Frame::block : Frame::warp)
                                                                  : e.frame;
    }
    if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4)) {
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        e.frame = Frame::free;
        e.camera = scene::centred(view_of(c), area, e.camera, map, {mouse.x, mouse.y});
    }
    c.placed("tree-map", map);
}

} // namespace warptree::panels
