#include "app/features/lessons/panels/lesson_list.hpp"

#include "app/features/widgets/color.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/features/widgets/list_box.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

namespace warptree::pages {

using session::LessonRun;
using session::Mark;

std::optional<std::size_t> draw_lesson_list(panels::Context& c, const std::vector<LessonItem>& items, std::size_t now,
                                            float width, const Tools& tools) {
    std::optional<std::size_t> clicked;
    int* seen = ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("lesson in sight"), -1);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const LessonItem& item = items[i];
        const std::string count = fmt::format("{}/{}", item.answered, item.questions);
        const float number = ImGui::CalcTextSize(count.c_str()).x;
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float wrap = width - number - c.px(14);
        const ImVec2 size = ImGui::CalcTextSize(item.title.c_str(), nullptr, false, wrap);
        if (ImGui::Selectable(("##lesson" + std::to_string(i)).c_str(), i == now, 0, {width, size.y + c.px(6)})) {
            clicked = i;
        }
        if (i == now && *seen != static_cast<int>(now)) {
            ImGui::SetScrollHereY();
            *seen = static_cast<int>(now);
        }
        tools.placed("lesson-" + item.id, last_item());
        ImDrawList* list = ImGui::GetWindowDrawList();
        list->AddText(nullptr, 0, {at.x + c.px(2), at.y + c.px(3)}, u32(c.theme.text), item.title.c_str(), nullptr,
                      wrap);
        list->AddText({at.x + width - number - c.px(4), at.y + c.px(3)},
                      u32(item.answered == item.questions ? c.theme.agree : c.theme.muted), count.c_str());
    }
    return clicked;
}

std::optional<std::size_t> draw_lesson_box(panels::Context& c, const std::vector<LessonItem>& items, std::size_t now) {
    std::vector<std::string> titles;
    for (const LessonItem& item : items) {
        titles.push_back(item.title);
    }
    return panels::list_box(c, {.id = "##lesson",
                                .shown = items[now].title,
                                .items = std::move(titles),
                                .now = now,
                                .width = ImGui::GetContentRegionAvail().x});
}

void draw_lesson_marks(panels::Context& c, const LessonRun& run) {
    const float r = c.px(5), step = c.px(17);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 from = ImGui::GetCursorScreenPos();
    float x = from.x + r + c.px(1);
    for (std::size_t i = 0; i < run.marks().size(); ++i) {
        if (run.lesson().stages[i].kind == session::QuestionKind::none) {
            continue;
        }
        const ImVec2 m{x, from.y + c.px(9)};
        const Mark mark = run.marks()[i];
        const scene::Color& color = mark == Mark::open    ? c.theme.muted
                                    : mark == Mark::shown ? c.theme.text
                                                          : c.theme.agree;
        list->AddCircle(m, r, u32(color), 0, c.px(1.5F));
        if (mark == Mark::at_once) {
            list->AddCircleFilled(m, r, u32(color));
        } else if (mark == Mark::later) {
            list->AddCircleFilled(m, r * 0.5F, u32(color));
        } else if (mark == Mark::shown) {
            list->AddLine({m.x - r, m.y}, {m.x + r, m.y}, u32(color), c.px(1.5F));
        }
        if (i == run.stage()) {
            list->AddRectFilled({m.x - r, m.y + r + c.px(3)}, {m.x + r, m.y + r + c.px(5)}, u32(c.theme.accent));
        }
        x += step;
    }
    ImGui::Dummy({x - from.x, c.px(20)});
}

LessonFoot draw_lesson_foot(panels::Context& c, const scene::Rect& r, const LessonRun& run, bool last, bool alone,
                            const Tools& tools) {
    LessonFoot pressed = LessonFoot::none;
    const auto button = [&](const char* text, const char* id, LessonFoot what) {
        pressed = ImGui::Button(text) ? what : pressed;
        if (*id != '\0') {
            tools.placed(id, last_item());
        }
    };
    ImGui::SetCursorScreenPos({r.x, r.y});
    button("Back (B)", "lesson-back", LessonFoot::back);
    ImGui::SameLine();
    const bool at_end = run.ready() && run.at_end();
    if (at_end && last) {
        ImGui::AlignTextToFramePadding();
        ImGui::TextDisabled("The end");
    } else {
        const bool lit = run.ready() && run.revealed();
        ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(lit ? ImGuiCol_Header : ImGuiCol_Button));
        button(at_end ? "Next lesson (N)" : "Next (N)", "lesson-next", LessonFoot::next);
        ImGui::PopStyleColor();
    }
    const char* text = "Picture (V)";
    const float w = ImGui::CalcTextSize(text).x + 2 * ImGui::GetStyle().FramePadding.x;
    if (alone && ImGui::GetItemRectMax().x + c.px(8) + w < r.right()) {
        ImGui::SameLine();
        ImGui::SetCursorScreenPos({r.right() - w, r.y});
        button(text, "", LessonFoot::picture);
    }
    return pressed;
}

bool LessonSizes::draw(panels::Context& c, LessonRun& run, float width, const Tools& tools) {
    const std::vector<FormField> fields{{"lesson-n", "elements", std::to_string(run.n()), {}},
                                        {"lesson-block", "block", std::to_string(run.block()), {}}};
    bool changed = false;
    const auto resize = [&](std::size_t field, std::uint64_t value) {
        const std::uint64_t n = field == 0 ? value : run.n();
        const auto block = static_cast<std::uint32_t>(field == 0 ? run.block() : std::min<std::uint64_t>(value, 4096));
        changed = run.resize(n, block) || changed;
    };
    form_.draw(
        c, width, fields,
        [&](std::size_t field, const std::string& text) { resize(field, parse_count(text).value_or(0)); },
        [&](std::size_t field, int by) {
            const std::uint64_t now = field == 0 ? run.n() : run.block();
            resize(field, by > 0 ? now * 2 : now / 2);
        },
        tools.placed);
    if (!run.error().empty()) {
        ImGui::PushTextWrapPos(0);
        ImGui::TextUnformatted(("! " + run.error()).c_str());
        ImGui::PopTextWrapPos();
    }
    return changed;
}

} // namespace warptree::pages
