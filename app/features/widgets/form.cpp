#include "app/features/widgets/form.hpp"

#include "app/base/element.hpp"
#include "app/base/type_words.hpp"
#include "app/features/widgets/focus.hpp"
#include "app/features/widgets/list_box.hpp"

#include <imgui.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace warptree::pages {

using panels::PanelKey;

namespace {
// The width that a field needs besides its text.
float frame_of(const FormField& field) {
    return 2 * ImGui::GetStyle().FramePadding.x + (field.choices.empty() ? 0 : ImGui::GetFrameHeight());
}

// Types as CUDA code spells them.
std::string spelled(const FormField& field, const std::string& id) {
    const auto type = field.id == "type" ? element_type_from(id) : std::nullopt;
    return type ? std::string(c_name(*type)) : id;
}

// The width of the field with its longest choice.
float widest(const FormField& field) {
    float w = ImGui::CalcTextSize(spelled(field, field.value).c_str()).x;
    for (const std::string& choice : field.choices) {
        w = std::max(w, ImGui::CalcTextSize(spelled(field, choice).c_str()).x);
    }
    return w + frame_of(field);
}
} // namespace

// Moves the cursor over the fields; Tab past the ends leaves the form.
void Form::keys(panels::Keyboard& k, int fields) {
    if (!k.on(panel_) || fields == 0) {
        cursor_ = -1;
        if (k.on(panel_)) {
            k.leave(1);
        }
        return;
    }
    if (k.arrived() != 0) {
        cursor_ = k.arrived() > 0 ? 0 : fields - 1;
        settled_ = false;
    }
    cursor_ = std::clamp(cursor_, 0, fields - 1);
    const bool next = k.take(PanelKey::next), previous = k.take(PanelKey::previous);
    const int by = (next || k.take(PanelKey::down) ? 1 : 0) - (previous || k.take(PanelKey::up) ? 1 : 0);
    if (by == 0) {
        return;
    }
    if ((next && cursor_ + 1 >= fields) || (previous && cursor_ <= 0)) {
        k.leave(by);
        cursor_ = -1;
        return;
    }
    cursor_ = std::clamp(cursor_ + by, 0, fields - 1);
    settled_ = false;
    if (!edited_.empty()) {
        ImGui::SetWindowFocus(nullptr); // takes the keyboard from the field, which then counts as left
    }
}

// True when the text was accepted: on Enter, or when the field was left after a change.
bool Form::typed(panels::Context& c, const FormField& field, int index, std::string& text) {
    const bool here = cursor_ == index;
    const bool edits = edited_ == field.id;
    if (!edits) {
        shown_.fill(0);
        std::strncpy(shown_.data(), field.value.c_str(), shown_.size() - 1);
        if (here) {
            panels::focus_next_item();
        }
    }
    std::array<char, 32>& buffer = edits ? edit_ : shown_;
    ImGui::InputText(("##" + field.id).c_str(), buffer.data(), buffer.size(), ImGuiInputTextFlags_AutoSelectAll);
    if (ImGui::IsItemActivated()) {
        edited_ = field.id;
        edit_ = shown_;
        if (!here) { // by the mouse
            c.keyboard.give(panel_);
            cursor_ = index;
            settled_ = true;
        }
    }
    if (!edits || ImGui::IsItemActive()) {
        return false;
    }
    const bool changed = ImGui::IsItemDeactivatedAfterEdit();
    edited_.clear();
    text = edit_.data();
    return changed;
}

void Form::draw(panels::Context& c, float width, const std::vector<FormField>& fields,
                const std::function<void(std::size_t, const std::string&)>& set,
                const std::function<void(std::size_t, int)>& turn,
                const std::function<void(const std::string&, scene::Rect)>& placed) {
    keys(c.keyboard, static_cast<int>(fields.size()));
    const float button = ImGui::GetFrameHeight(), gap = ImGui::GetStyle().ItemInnerSpacing.x;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const FormField& field = fields[i];
        // The label goes above its field if either needs more than half of the width.
        const bool above =
            ImGui::CalcTextSize(field.label.c_str()).x + c.px(4) > width * 0.5F || widest(field) > width * 0.5F;
        const float label = above ? 0 : width * 0.5F;
        const bool here = cursor_ == static_cast<int>(i), list = !field.choices.empty();
        // If the number has no room beside the buttons, they are left out.
        const float number = ImGui::CalcTextSize(field.value.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
        const bool buttons = !list && width - label - 2 * (button + gap) >= number;
        ImGui::AlignTextToFramePadding();
        ImGui::TextDisabled("%s", field.label.c_str());
        if (!above) {
            ImGui::SameLine(label);
        }
        const float room = std::max(c.px(20), width - label - (buttons ? 2 * (button + gap) : 0));
        ImGui::SetNextItemWidth(room);
        if (list) {
            const auto now = std::find(field.choices.begin(), field.choices.end(), field.value);
            std::vector<std::string> items = field.choices;
            std::transform(items.begin(), items.end(), items.begin(),
                           [&](const auto& id) { return spelled(field, id); });
            if (const auto taken = panels::list_box(c, {.id = "##" + field.id,
                                                        .shown = spelled(field, field.value),
                                                        .items = std::move(items),
                                                        .now = static_cast<std::size_t>(now - field.choices.begin()),
                                                        .width = room})) {
                set(i, field.choices[*taken]);
            }
        } else if (std::string text; typed(c, field, static_cast<int>(i), text)) {
            set(i, text);
        }
        const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
        placed("field-" + field.id, {from.x, from.y, to.x - from.x, to.y - from.y});
        if (here) {
            panels::focus_ring(c);
            if (!std::exchange(settled_, true)) {
                ImGui::SetScrollHereY(0.5F);
            }
            const int by = (c.keyboard.take(PanelKey::right) ? 1 : 0) - (c.keyboard.take(PanelKey::left) ? 1 : 0);
            if (by != 0) {
                turn(i, by);
            }
        }
        if (buttons) {
            ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, ImGui::GetStyle().FramePadding.y});
            for (const auto& [sign, by] : {std::pair{"-", -1}, {"+", 1}}) {
                ImGui::SameLine(0, gap);
                if (ImGui::Button((std::string(sign) + "##" + field.id).c_str(), {button, 0})) {
                    turn(i, by);
                }
            }
            ImGui::PopStyleVar();
        }
    }
    if (c.keyboard.on(panel_) && c.keyboard.take(PanelKey::enter)) {
        c.keyboard.done();
    }
    c.keyboard.end_frame(panel_);
}

} // namespace warptree::pages
