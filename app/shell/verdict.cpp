// The verdict in the top bar: what is shown, and what its run came to.
#include "app/views/verdict.hpp"
#include "app/features/widgets/color.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/features/widgets/list_box.hpp"
#include "app/run/judge/expectation.hpp"
#include "app/shell/screen.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warptree::window {

namespace {
constexpr const char* kOffer = "expect…";

// Pixels per em of ImGui's text, whose size is that of a line.
float em() { return ImGui::GetFontSize() / 1.21F; }

std::string in_parts(const std::string& text, float width) {
    return scene::in_parts(text, [width](const std::string& t) { return ImGui::CalcTextSize(t.c_str()).x <= width; });
}
} // namespace

// What is shown, and what its run came to.
Screen::Judged Screen::judged() {
    if (const auto own = pages_[page_]->judged()) {
        return {own->name, own->trace ? verdict_.of(own->trace) : scene::RunVerdict{}};
    }
    const session::Explore& e = explore_;
    const bool live = e.file().empty();
    using Mark = scene::RunVerdict::Mark;
    Judged it{e.shown_name(), {}};
    const bool refused = std::any_of(e.diagnostics.begin(), e.diagnostics.end(), [](const compile::Diagnostic& d) {
        return d.severity == compile::Diagnostic::Severity::error;
    });
    if (live && refused && (e.stale() || !e.trace())) {
        it.verdict = {Mark::wrong, "does not compile", false};
    } else if (live && !e.error.empty()) {
        it.verdict = {Mark::wrong, "does not run: " + e.error, false};
    } else if (live && e.tries()) {
        it.verdict = {Mark::unchecked, "trying other sizes …", false};
    } else if (live && (e.runner().busy() || !e.trace())) {
        it.verdict = {Mark::unchecked, e.runner().busy() || e.due() ? "running" : "cancelled", false};
    } else if (e.trace() && e.hidden_from == kNone) {
        it.verdict = verdict_.of(e.trace());
    }
    return it;
}

// The room that a verdict should have: its first parts, and as much of the name.
float Screen::verdict_room(const panels::Context& c, const Judged& it, float most_name) const {
    const float name = fonts_.width(it.name, scene::Face::sans_bold, em());
    const float offer = it.verdict.may_expect && page_ == 0 ? ImGui::CalcTextSize(kOffer).x + c.px(26) : 0;
    return ImGui::CalcTextSize(in_parts(it.verdict.text, c.px(270)).c_str()).x + std::min(name, most_name) + c.px(80) +
           offer;
}

// Returns where it ends.
float Screen::draw_verdict(panels::Context& c, const Judged& it, float left, float right, float y) {
    const session::Explore& e = explore_;
    const bool live = e.file().empty();
    state_.verdict.clear();
    std::string name = it.name;
    const scene::RunVerdict& verdict = it.verdict;
    const float gap = c.px(10), dot = c.px(4), pad = c.px(10), room = right - left - gap;
    if (room < c.px(90)) {
        return left;
    }
    // The verdict takes precedence over the name.
    const float size = ImGui::GetFontSize(), edges = 2 * pad + 4 * dot;
    const bool offers = verdict.may_expect && live && e.on_kernel() && page_ == 0;
    const float offer = offers ? ImGui::CalcTextSize(kOffer).x + c.px(26) : 0;
    const float said = verdict.text.empty() ? 0 : ImGui::CalcTextSize(verdict.text.c_str()).x + edges + gap + offer;
    const float whole = fonts_.width(name, scene::Face::sans_bold, em()) + c.px(2);
    float wide = std::min(whole, std::max(room - said, room > c.px(280) ? std::min(room * 0.4F, c.px(96)) : 0));
    const std::string text = in_parts(verdict.text, room - wide - edges - gap - offer);
    wide = std::min(whole, room - (text.empty() ? 0 : ImGui::CalcTextSize(text.c_str()).x + edges + gap + offer));
    name = wide < std::min(whole, c.px(60)) ? "" : name;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float middle = y + ImGui::GetFrameHeight() / 2, top = middle - size / 2;
    name = scene::fitted(fonts_, name, scene::Face::sans_bold, em(), wide);
    ImGui::PushFont(fonts_.bold());
    list->AddText({left, top}, u32(c.theme.text), name.c_str());
    float x = left + (name.empty() ? 0 : ImGui::CalcTextSize(name.c_str()).x + gap);
    ImGui::PopFont();
    if (text.empty()) {
        return x;
    }
    using Mark = scene::RunVerdict::Mark;
    const scene::Color color = verdict.mark == Mark::right   ? c.theme.agree
                               : verdict.mark == Mark::wrong ? c.theme.hazard
                               : verdict.mark == Mark::risk  ? c.theme.attention
                                                             : c.theme.muted;
    const float w = ImGui::CalcTextSize(text.c_str()).x + edges, h = ImGui::GetFrameHeight();
    list->AddRect({x, y}, {x + w, y + h}, u32(color), h / 2, 0, c.px(1.4F));
    const float at = x + pad + dot;
    if (verdict.mark == Mark::wrong) { // a cross, a disc, a ring: not the colour alone
        list->AddLine({at - dot, middle - dot}, {at + dot, middle + dot}, u32(color), c.px(2));
        list->AddLine({at - dot, middle + dot}, {at + dot, middle - dot}, u32(color), c.px(2));
    } else if (verdict.mark == Mark::right) {
        list->AddCircleFilled({at, middle}, dot, u32(color));
    } else {
        list->AddCircle({at, middle}, dot, u32(color), 0, c.px(1.5F));
    }
    list->AddText({x + pad + 4 * dot, top}, u32(c.theme.text), text.c_str());
    ImGui::SetCursorScreenPos({x, y});
    const bool clicked = ImGui::InvisibleButton("##verdict", {w, h});
    if (text != verdict.text && ImGui::IsItemHovered()) {
        pages::tooltip(c, verdict.text);
    }
    state_.place("verdict", {x, y, w, h});
    state_.verdict = verdict.text;
    x += w + gap;
    if (offers) {
        x = offer_expectation(c, x, right, y);
    } else if (clicked && page_ != 0 && pages_[page_]->judged()) {
        act(fmt::format("{}-explore", pages_[page_]->id()));
        go_to_page(0);
    } else if (clicked && verdict.mark == Mark::wrong) {
        act("next-finding");
    } else if (clicked) {
        go_to_page(0);
    }
    return x;
}

// What the result is compared with, chosen where it is missing.
float Screen::offer_expectation(panels::Context& c, float x, float right, float y) {
    const float w = ImGui::CalcTextSize(kOffer).x + c.px(18);
    if (x + w + c.px(8) > right) {
        return x;
    }
    ImGui::SetCursorScreenPos({x, y});
    if (ImGui::Button(kOffer, {w, 0})) {
        ImGui::OpenPopup("##expectations");
    }
    state_.place("expect", {x, y, w, ImGui::GetFrameHeight()});
    if (ImGui::BeginPopup("##expectations")) {
        panels::ListBox list;
        // What it was recognised as first; a matrix product needs its sides.
        const std::string like = explore_.trace() ? runs::expectation_for(explore_.trace()->equals) : "";
        list.items = like.empty() ? std::vector<std::string>{} : std::vector{like};
        for (const std::string_view name : runs::kExpectations) {
            if (name != like && name != "none" && name != "matrix-product") {
                list.items.emplace_back(name);
            }
        }
        list.large = true;
        list.drawn = [&](std::size_t i) {
            const ImVec2 at = ImGui::GetItemRectMin(), end = ImGui::GetItemRectMax();
            state_.place("expect-" + list.items[i], {at.x, at.y, end.x - at.x, end.y - at.y});
        };
        if (const auto taken = panels::list_items(c, list)) {
            explore_.options.kernel.expect = list.items[*taken];
            explore_.run();
        }
        ImGui::EndPopup();
    }
    return x + w + c.px(8);
}

} // namespace warptree::window
