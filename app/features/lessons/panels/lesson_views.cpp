#include "app/features/lessons/panels/lesson_views.hpp"

#include "app/features/lessons/load_figure.hpp"

#include "app/base/error.hpp"
#include "app/features/explore/panels/canvas.hpp"
#include "app/features/widgets/color.hpp"
#include "app/features/widgets/frame.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <utility>

namespace warptree::pages {

namespace {
constexpr std::array<std::pair<const char*, const char*>, 4> kViews{
    {{"tree", "Tree"}, {"warps", "Warps"}, {"banks", "Banks"}, {"source", "Source"}}};
constexpr float kBetweenViews = 6; // at scale 1

} // namespace

LessonViews::LessonViews(std::function<void(const std::string& id, scene::Rect rect)> placed)
    : placed_(std::move(placed)), explore_([] {}), tree_(panels::make_tree()), warps_(panels::make_warps()),
      banks_(panels::make_banks(true)), source_(panels::make_source()), transport_(panels::make_transport()) {}

bool LessonViews::follow(const session::LessonRun& run, std::size_t lesson) {
    if (!run.ready()) {
        return false;
    }
    Shown now{lesson, run.stage(), run.asks() && run.revealed(), run.finished(), nullptr};
    const bool other = now.lesson != at_.lesson || now.stage != at_.stage;
    try {
        const session::LessonTeller teller = run.teller();
        const session::LessonTeller::Place place = teller.place(run.revealed());
        now.trace = run.traces().at(place.trace).get();
        if (now == at_) {
            return false;
        }
        const session::Seen seen = run.seen();
        const bool same = now.trace == at_.trace;
        const scene::Target selected = explore_.selected;
        at_ = now;
        explore_.show_file({}, seen.trace);
        explore_.hidden_from = seen.hidden_from;
        explore_.frame = same ? explore_.frame : scene::Frame::all;
        explore_.jump = !same;
        std::uint32_t at = place.step;
        for (std::uint32_t l = 0; l < place.launch; ++l) {
            at += static_cast<std::uint32_t>(seen.trace->launches[l].steps.size());
        }
        explore_.playback.pause();
        explore_.playback.go_to_place(at);
        // What was clicked stays selected with the answer, except for indices that differ in another trace.
        const bool counted =
            selected.kind == scene::Target::Kind::node || selected.kind == scene::Target::Kind::request;
        explore_.selected = now.revealed && !other && !counted ? selected : scene::Target();
        before_ = explore_.selected;
        explore_.warp = teller.warp().value_or(kNone);
        explore_.request = kNone;
    } catch (const OptionError&) {
        at_ = now; // the text shows the reason
    }
    if (other) {
        front_ = run.now().view;
    }
    return other;
}

bool LessonViews::picked() { return explore_.selected != std::exchange(before_, explore_.selected); }

void LessonViews::next(bool alone) {
    const auto found =
        std::find_if(kViews.begin(), kViews.end(), [this](const auto& view) { return front_ == view.first; });
    const auto at = static_cast<std::size_t>(found - kViews.begin());
    if (alone && !pictured_) {
        pictured_ = true;
    } else if (alone && at + 1 == kViews.size()) {
        pictured_ = false;
        front_ = kViews.front().first;
    } else {
        front_ = kViews[(at + 1) % kViews.size()].first;
    }
}

void LessonViews::draw(panels::Context& c, const scene::Rect& r, bool alone) {
    const float gap = c.px(kBetweenViews), foot = c.px(r.h / c.fonts.scale() < 330 ? 46 : 60);
    const float h = r.h - foot - gap;
    const bool several = h >= c.px(330) && r.w >= c.px(480);
    if (several) {
        const float tree = (h - gap) * 0.5F, warps = (r.w - gap) * 0.58F;
        draw_panel(c, *tree_, {r.x, r.y, r.w, tree}, false, alone);
        const float y = r.y + tree + gap;
        if (loads) {
            draw_loads(c, {r.x, y, r.w, h - tree - gap});
            draw_panel(c, *transport_, {r.x, r.y + h + gap, r.w, foot}, false, alone);
            return;
        }
        draw_panel(c, *warps_, {r.x, y, warps, h - tree - gap}, false, alone);
        draw_panel(c, *banks_, {r.x + warps + gap, y, r.w - warps - gap, h - tree - gap}, false, alone);
    } else {
        panels::Panel& panel = front_ == "tree"    ? *tree_
                               : front_ == "warps" ? *warps_
                               : front_ == "banks" ? *banks_
                                                   : *source_;
        draw_panel(c, panel, {r.x, r.y, r.w, h}, true, alone);
    }
    draw_panel(c, *transport_, {r.x, r.y + h + gap, r.w, foot}, false, alone);
}

void LessonViews::draw_source(panels::Context& c, const scene::Rect& r) { draw_panel(c, *source_, r, false, false); }

void LessonViews::draw_panel(panels::Context& c, panels::Panel& panel, const scene::Rect& r, bool tabs, bool alone) {
    const std::string name = std::string("lesson-") + panel.id();
    begin_fixed(name.c_str(), r, ImGuiWindowFlags_NoScrollWithMouse);
    placed_(name, r);
    const float pad = c.px(12), top = c.px(8), row = ImGui::GetTextLineHeight() + c.px(8);
    scene::Rect area{r.x + pad, r.y + top, r.w - 2 * pad, r.h - 2 * top};
    if (tabs) {
        draw_tabs(c, area, alone);
    } else if (*panel.title() != '\0') {
        ImDrawList* list = ImGui::GetWindowDrawList();
        ImGui::PushFont(c.fonts.bold());
        const std::string heading = panel.heading(c);
        const float title = ImGui::CalcTextSize(heading.c_str()).x;
        list->AddText({area.x, area.y}, u32(c.theme.text), heading.c_str());
        ImGui::PopFont();
        const std::string note = explore_.trace() ? panel.note(c) : std::string();
        if (title + ImGui::CalcTextSize(note.c_str()).x + c.px(14) < area.w) {
            list->AddText({area.x + title + c.px(14), area.y}, u32(c.theme.muted), note.c_str());
        }
    }
    if (tabs || *panel.title() != '\0') {
        area.y += row;
        area.h -= row;
    }
    ImGui::SetCursorScreenPos({area.x, area.y});
    if (explore_.trace() && tabs && loads && &panel == banks_.get()) {
        paint_loads(c, area);
    } else if (explore_.trace()) {
        panel.draw(c, area);
    }
    end_fixed();
}

void LessonViews::paint_loads(panels::Context& c, const scene::Rect& area) {
    placed_("lesson-loads", area);
    c.painter.add(
        scene::draw_load_figure(c.theme, c.fonts, c.fonts.scale(), area, *loads, bytes(explore_.trace()->options.type)),
        ImGui::GetWindowDrawList());
}

void LessonViews::draw_loads(panels::Context& c, const scene::Rect& r) {
    begin_fixed("lesson-loads", r, ImGuiWindowFlags_NoScrollWithMouse);
    const float pad = c.px(12);
    paint_loads(c, {r.x + pad, r.y + pad, r.w - 2 * pad, r.h - 2 * pad});
    end_fixed();
}

void LessonViews::draw_tabs(panels::Context& c, const scene::Rect& area, bool alone) {
    float x = area.x;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto tab = [&](const char* id, const char* text) {
        const float w = ImGui::CalcTextSize(text).x + c.px(16);
        if (x + w > area.right()) {
            return;
        }
        ImGui::SetCursorScreenPos({x, area.y});
        if (ImGui::InvisibleButton((std::string("##tab-") + id).c_str(), {w, ImGui::GetTextLineHeight() + c.px(4)})) {
            pictured_ = *id != '\0';
            front_ = *id == '\0' ? front_ : id;
        }
        const bool front = front_ == id;
        list->AddText({x + c.px(8), area.y}, u32(front ? c.theme.text : c.theme.muted), text);
        if (front) {
            const float line = area.y + ImGui::GetTextLineHeight() + c.px(2);
            list->AddRectFilled({x + c.px(8), line}, {x + w - c.px(8), line + c.px(2)}, u32(c.theme.accent));
        }
        x += w;
    };
    for (const auto& [id, text] : kViews) {
        tab(id, text);
    }
    if (alone) {
        tab("", "Text");
    }
}

} // namespace warptree::pages
