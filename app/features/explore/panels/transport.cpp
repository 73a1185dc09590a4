#include "app/features/explore/panels/transport.hpp"
#include "app/features/widgets/color.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/features/widgets/list_box.hpp"
#include "app/views/branches.hpp"
#include "app/views/verdict.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

namespace warptree::panels {

namespace {

// Icons are drawn, so that no font needs them.
enum class Icon { first, back, play, pause, forward, last, loop };

void draw_icon(ImDrawList* list, Icon icon, ImVec2 m, float r, ImU32 color) {
    const auto triangle = [&](float x, float direction) {
        list->AddTriangleFilled({m.x + x - direction * r * 0.5F, m.y - r * 0.8F},
                                {m.x + x - direction * r * 0.5F, m.y + r * 0.8F}, {m.x + x + direction * r * 0.7F, m.y},
                                color);
    };
    const auto bar = [&](float x) {
        list->AddRectFilled({m.x + x - r * 0.14F, m.y - r * 0.8F}, {m.x + x + r * 0.14F, m.y + r * 0.8F}, color);
    };
    switch (icon) {
    case Icon::first:
        bar(-r * 0.8F);
        triangle(r * 0.1F, -1);
        break;
    case Icon::back: // a bar behind: one step, not playing
        triangle(-r * 0.15F, -1);
        bar(r * 0.75F);
        break;
    case Icon::play: triangle(0, 1.3F); break;
    case Icon::forward:
        bar(-r * 0.75F);
        triangle(r * 0.15F, 1);
        break;
    case Icon::pause:
        bar(-r * 0.35F);
        bar(r * 0.35F);
        break;
    case Icon::last:
        triangle(-r * 0.1F, 1);
        bar(r * 0.8F);
        break;
    case Icon::loop:
        list->PathArcTo(m, r * 0.7F, 0.6F, 5.9F, 20);
        list->PathStroke(color, 0, r * 0.22F);
        list->AddTriangleFilled({m.x + r * 0.25F, m.y - r * 0.5F}, {m.x + r * 0.95F, m.y - r * 0.5F},
                                {m.x + r * 0.62F, m.y + r * 0.1F}, color);
    }
}

// 0: "s = 16", 1: "s=16", 2: "16".
std::string shortened(std::string label, int form) {
    if (form > 0) {
        std::erase(label, ' ');
    }
    return form > 1 ? label.substr(label.find('=') + 1) : label;
}

// The longest form in which all labels fit.
int label_form(const Context& c, std::span<const TransportStep> steps, float room) {
    for (int form = 0; form < 2; ++form) {
        float widest = 0;
        for (const TransportStep& s : steps) {
            widest = std::max(widest, c.fonts.width(shortened(s.label, form), scene::Face::mono, 12 * c.fonts.scale()));
        }
        if (widest + c.px(5) < room) {
            return form;
        }
    }
    return 2;
}

// Whether the labels of stages fit in their shortest form.
bool have_room(const Context& c, std::span<const TransportStep> steps, float step) {
    return std::all_of(steps.begin(), steps.end(), [&](const TransportStep& s) {
        return s.label.find('=') == std::string::npos ||
               c.fonts.width(shortened(s.label, 2), scene::Face::mono, 10 * c.fonts.scale()) + c.px(6) < step;
    });
}

// "s =" where the labels of the stages begin with it and have no room for it.
std::string left_out(const Context& c, std::span<const TransportStep> steps, float width) {
    const float step = width / static_cast<float>(steps.size());
    std::string before;
    for (const TransportStep& s : steps) {
        const std::size_t end = s.label.find('=');
        if (end != std::string::npos && !before.empty() && s.label.substr(0, end + 1) != before) {
            return {}; // the labels have different variables
        }
        before = end == std::string::npos ? before : s.label.substr(0, end + 1);
    }
    return label_form(c, steps, step - std::min(c.px(4), step * 0.2F)) == 2 ? before : "";
}

void cell(const Context& c, ImDrawList* list, const scene::Rect& box, const TransportStep& step, int form, bool here) {
    const float round = std::min(c.px(4), box.w / 4);
    list->AddRectFilled({box.x, box.y}, {box.right(), box.bottom()},
                        u32(here ? c.theme.accent_fill : c.theme.background), round);
    list->AddRect({box.x, box.y}, {box.right(), box.bottom()}, u32(here ? c.theme.accent : c.theme.line), round);
    std::string text = shortened(step.label, form);
    const float usual = 12 * c.fonts.scale(), small = 10 * c.fonts.scale();
    if (c.fonts.width(text, scene::Face::mono, small) + c.px(2) >= box.w) {
        text = step.label == "load" ? "ld" : step.label == "store" ? "st" : text; // as the instructions are called
    }
    const bool fits = c.fonts.width(text, scene::Face::mono, usual) + c.px(4) < box.w;
    ImGui::PushFont(c.fonts.font(scene::Face::mono, fits ? usual : small));
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    if (size.x + c.px(2) < box.w) {
        list->AddText({box.x + (box.w - size.x) / 2, box.y + (box.h - size.y) / 2},
                      u32(here ? c.theme.text : c.theme.muted), text.c_str());
    }
    ImGui::PopFont();
    if (step.wrong) { // a frame and a flag, so that it is not the colour alone
        list->AddRect({box.x, box.y}, {box.right(), box.bottom()}, u32(c.theme.hazard), round, 0, c.px(2));
        const float flag = std::min(c.px(9), box.w / 2);
        list->AddTriangleFilled({box.right() - flag, box.y}, {box.right(), box.y}, {box.right(), box.y + flag},
                                u32(c.theme.hazard));
    }
    if (step.attention) {
        list->AddRectFilled({box.x + round, box.bottom() - c.px(3)}, {box.right() - round, box.bottom() - c.px(1)},
                            u32(c.theme.attention));
    }
}

// All steps side by side; labels are left out where they do not fit.
void strip(const Context& c, session::Playback& p, std::span<const TransportStep> steps, std::uint32_t first,
           const scene::Rect& r) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float step = r.w / static_cast<float>(steps.size());
    const float gap = std::min(c.px(4), step * 0.2F);
    ImGui::SetCursorScreenPos({r.x, r.y});
    ImGui::InvisibleButton("##scrub", {std::max(1.0F, r.w), r.h});
    if (ImGui::IsItemActive()) {
        const float at =
            std::clamp((ImGui::GetIO().MousePos.x - r.x) / step, 0.0F, static_cast<float>(steps.size()) - 0.001F);
        const auto place = static_cast<std::uint32_t>(at);
        p.pause();
        p.go_to_fraction(first + place,
                         std::abs(ImGui::GetMouseDragDelta(0, 0).x) > 3 ? at - static_cast<float>(place) : 1);
    }
    const int form = label_form(c, steps, step - gap);
    for (std::uint32_t place = 0; place < steps.size(); ++place) {
        const scene::Rect box{r.x + step * static_cast<float>(place), r.y, step - gap, r.h};
        if (steps[place].begins_launch) {
            const float x = box.x - gap / 2;
            list->AddLine({x, r.y - c.px(5)}, {x, r.bottom() + c.px(5)}, u32(c.theme.muted), c.px(1));
        }
        cell(c, list, box, steps[place], form, first + place == p.place());
        if (steps[place].barrier) { // a barrier comes before the next step
            const float middle = box.right() + gap / 2, reach = c.px(3);
            list->AddRectFilled({middle - c.px(1), r.y - reach}, {middle + c.px(1), r.bottom() + reach},
                                u32(c.theme.agree));
        }
    }
    const float x = r.x + step * (static_cast<float>(p.place() - first) + p.fraction()) - gap;
    list->AddRectFilled({x - c.px(1), r.y - c.px(4)}, {x + c.px(1), r.bottom() + c.px(4)}, u32(c.theme.accent));
}

// Returns the width used.
float speed_list(Context& c, session::Playback& p, const scene::Rect& at) {
    ListBox box{"##speed", fmt::format("speed {:g}×", p.speed())};
    for (const float speed : session::Playback::speeds()) {
        box.now = speed == p.speed() ? box.items.size() : box.now;
        box.items.push_back(fmt::format("{:g}×", speed));
    }
    box.width = ImGui::CalcTextSize("speed 0.25×").x + 2 * ImGui::GetStyle().FramePadding.x + ImGui::GetFrameHeight();
    const float top = at.y + (at.h - ImGui::GetFrameHeight()) / 2;
    ImGui::SetCursorScreenPos({at.x, top});
    c.placed("speed", {at.x, top, box.width, ImGui::GetFrameHeight()});
    if (const auto taken = list_box(c, box)) {
        p.set_speed(session::Playback::speeds()[*taken]);
    } else if (ImGui::IsItemHovered()) {
        pages::tooltip(c, "Speed of playback (Up, Down)");
    }
    return box.width + c.px(6);
}

} // namespace

void draw_transport(Context& c, session::Playback& p, std::span<const TransportStep> steps, const scene::Rect& area,
                    const std::string& caption, std::uint32_t first) {
    const float size = std::min(c.px(34), area.h), y = area.y + (area.h - size) / 2;
    // With little room the strip of steps takes precedence over buttons: keys do what the omitted ones do.
    const bool narrow = area.w < c.px(560), tight = area.w < c.px(700);
    float x = area.x + (tight ? 0 : c.px(6));
    struct Button {
        Icon icon;
        const char *id, *name;
        bool lit = false, enabled = true;
        bool repeats = false; // while it is held
    };
    const auto button = [&](const Button& b, const std::function<void()>& act) {
        ImGui::SetCursorScreenPos({x, y});
        ImGui::BeginDisabled(!b.enabled);
        const bool clicked = ImGui::Button(b.name, {size, size});
        if (b.repeats ? ImGui::IsItemActive() && ImGui::IsMouseClicked(ImGuiMouseButton_Left, true) : clicked) {
            act();
        }
        ImGui::EndDisabled();
        if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
            pages::tooltip(c, b.name + 2);
        }
        draw_icon(ImGui::GetWindowDrawList(), b.icon, {x + size / 2, y + size / 2}, size * 0.26F,
                  u32(b.lit       ? c.theme.accent
                      : b.enabled ? c.theme.text
                                  : c.theme.line));
        c.placed(b.id, {x, y, size, size});
        x += size + c.px(5);
    };
    p.glides = c.animates;
    const bool begun = p.place() > 0, ended = p.place() + 1 == p.places() && p.fraction() >= 1;
    if (!tight) {
        button({Icon::first, "first", "##First (Home)", false, begun}, [&] { p.first(); });
    }
    button({Icon::back, "back", "##Back (Left)", false, begun, true}, [&] { p.step(-1); });
    button({p.playing() ? Icon::pause : Icon::play, "play", "##Play or pause (Space)", p.playing()},
           [&] { p.toggle(); });
    button({Icon::forward, "forward", "##Forward (Right)", false, !ended, true}, [&] { p.step(1); });
    if (!tight) {
        button({Icon::last, "last", "##Last (End)", false, !ended}, [&] { p.last(); });
    }
    if (!narrow) {
        button({Icon::loop, "loop", "##Loop (L)", p.loop}, [&] { p.loop = !p.loop; });
        x += speed_list(c, p, {x, y, 0, size});
    }
    if (steps.empty()) {
        return;
    }
    const std::uint32_t here = p.place() - first + 1;
    const std::string count =
        narrow ? fmt::format("{}/{}", here, steps.size()) : fmt::format("step {} of {}", here, steps.size());
    // What the red marks mean, or the orange ones, below the count.
    const bool wrong = std::any_of(steps.begin(), steps.end(), [](const TransportStep& s) { return s.wrong; });
    const bool marked =
        wrong || std::any_of(steps.begin(), steps.end(), [](const TransportStep& s) { return s.attention; });
    const char* meaning = wrong ? narrow ? "fault" : "goes wrong" : narrow ? "diverges" : "warps diverge";
    const float line = ImGui::GetTextLineHeight(), mark = c.px(14);
    const float meaning_width = marked ? ImGui::CalcTextSize(meaning).x + mark + c.px(5) : 0;
    const float count_width = std::max(ImGui::CalcTextSize(count.c_str()).x, meaning_width) + c.px(12);
    const float left = area.right() - count_width + c.px(6);
    const float top = y + size / 2 - (marked ? line : line / 2);
    ImGui::SetCursorScreenPos({left, top});
    ImGui::TextDisabled("%s", count.c_str());
    if (marked) {
        const float middle = top + line * 1.55F;
        ImGui::GetWindowDrawList()->AddRectFilled({left, middle - c.px(1)}, {left + mark, middle + c.px(1)},
                                                  u32(wrong ? c.theme.hazard : c.theme.attention));
        ImGui::SetCursorScreenPos({left + mark + c.px(5), top + line});
        ImGui::TextDisabled("%s", meaning);
    }
    const scene::Rect room{x, y, area.right() - count_width - x - c.px(8), size};
    const std::string counted = caption.empty() ? left_out(c, steps, room.w) : caption;
    float wide = counted.empty() || narrow ? 0 : ImGui::CalcTextSize(counted.c_str()).x + c.px(8);
    if (!have_room(c, steps, (room.w - wide) / static_cast<float>(steps.size()))) {
        wide = 0; // the caption goes before the labels do
    }
    if (wide > 0) {
        ImGui::SetCursorScreenPos({x, y + (size - line) / 2});
        ImGui::TextDisabled("%s", counted.c_str());
    }
    strip(c, p, steps, first, {room.x + wide, y, room.w - wide, size});
}

namespace {
class Transport : public Panel {
  public:
    const char* id() const override { return "transport"; }
    const char* title() const override { return ""; }

    void draw(Context& c, scene::Rect area) override {
        const auto& trace = c.explore.trace();
        const std::uint32_t shown = c.explore.playback.moment().launch;
        const std::uint32_t first_place = c.explore.on_program() ? c.explore.playback.first_place(shown) : 0;
        if (const Of of{trace, c.explore.on_program() ? shown : 0, c.explore.hidden_from}; !(of == of_)) {
            of_ = of;
            steps_ = steps_of(c);
        }
        draw_transport(c, c.explore.playback, steps_, area, {}, first_place);
    }

  private:
    // What the steps are made from.
    struct Of {
        std::shared_ptr<const Trace> trace;
        std::uint32_t launch = 0, hidden_from = kNone;
        bool operator==(const Of& o) const {
            return trace == o.trace && launch == o.launch && hidden_from == o.hidden_from;
        }
    };
    static std::vector<TransportStep> steps_of(const Context& c) {
        std::vector<TransportStep> steps;
        if (const auto& trace = c.explore.trace(); c.explore.on_program()) { // the launches are in its story
            const std::uint32_t shown = c.explore.playback.moment().launch;
            if (shown < trace->launches.size()) {
                for (const Step& s : trace->launches[shown].steps) {
                    steps.push_back(step_of(c, shown, s, false));
                }
            }
        } else if (trace) {
            for (std::size_t l = 0; l < trace->launches.size(); ++l) {
                for (const Step& s : trace->launches[l].steps) {
                    const bool first = &s == trace->launches[l].steps.data();
                    steps.push_back(step_of(c, static_cast<std::uint32_t>(l), s, first && l > 0));
                }
            }
            if (trace->host_partials > 1) {
                steps.push_back({"host", false, true});
            }
        }
        return steps;
    }
    static TransportStep step_of(const Context& c, std::uint32_t launch, const Step& s, bool begins) {
        const Launch& l = c.explore.trace()->launches[launch];
        const auto step = static_cast<std::uint32_t>(&s - l.steps.data());
        const bool known = c.explore.hidden_from == kNone || step < c.explore.hidden_from; // may be the question
        const bool diverges =
            (s.kind == StepKind::stage && s.counters.divergent_warps > 0) || (known && scene::splits_unseen(l, step));
        return {s.label, diverges, begins, s.counters.barriers != 0, known && scene::goes_wrong(l, step)};
    }

    Of of_;
    std::vector<TransportStep> steps_;
};
} // namespace

std::unique_ptr<Panel> make_transport() { return std::make_unique<Transport>(); }

} // namespace warptree::panels
