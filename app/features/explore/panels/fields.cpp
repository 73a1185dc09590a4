#include "app/features/explore/panels/fields.hpp"
#include "app/features/widgets/focus.hpp"

#include <imgui.h>

#include <cstring>
#include <utility>

namespace warptree::panels {

void Fields::begin(Context& c, float label) {
    context_ = &c;
    label_ = label;
    at_ = 0;
    Keyboard& k = c.keyboard;
    if (!k.on(panel_)) {
        cursor_ = -1;
        return;
    }
    if (k.arrived() != 0) {
        cursor_ = k.arrived() > 0 ? 0 : fields_ - 1;
        settled_ = false;
    }
    const bool next = k.take(PanelKey::next), previous = k.take(PanelKey::previous);
    const int by = (next || k.take(PanelKey::down) ? 1 : 0) - (previous || k.take(PanelKey::up) ? 1 : 0);
    if (by == 0) {
        return;
    }
    if ((next && cursor_ + 1 >= fields_) || (previous && cursor_ <= 0)) {
        k.leave(by);
        cursor_ = -1;
        return;
    }
    cursor_ = std::clamp(cursor_ + by, 0, fields_ - 1);
    settled_ = false;
    if (!edited_.empty()) {
        ImGui::SetWindowFocus(nullptr); // takes the keyboard from the field, which then counts as left
    }
}

void Fields::end() {
    fields_ = at_;
    if (context_->keyboard.on(panel_) && context_->keyboard.take(PanelKey::enter)) {
        context_->keyboard.done();
    }
}

bool Fields::field(const char* label) {
    ImGui::AlignTextToFramePadding();
    const std::string_view all(label);
    const std::string shown(all.substr(0, all.find("##")));
    ImGui::TextDisabled("%s", shown.c_str());
    if (ImGui::CalcTextSize(shown.c_str()).x + context_->px(2) < label_) {
        ImGui::SameLine(label_);
    } else if (label_ > 0) { // a long label has a line of its own
        ImGui::Dummy({label_ - ImGui::GetStyle().ItemSpacing.x, 0});
        ImGui::SameLine(label_);
    }
    ImGui::SetNextItemWidth(width_);
    return cursor_ == at_++;
}

void Fields::mark() { // the field just drawn has the cursor
    focus_ring(*context_);
    if (!std::exchange(settled_, true)) {
        ImGui::SetScrollHereY(0.5F);
    }
}

int Fields::turn() {
    Keyboard& k = context_->keyboard;
    return (k.take(PanelKey::right) ? 1 : 0) - (k.take(PanelKey::left) ? 1 : 0);
}

bool Fields::whole(const char* label, std::uint64_t& value, std::uint64_t least) {
    if (!typed(label, std::to_string(value))) {
        return false;
    }
    const auto count = parse_count(edit_.data());
    if (!count || *count < least || *count == value) {
        return false;
    }
    value = *count;
    return true;
}

bool Fields::text(const char* label, std::string& asked, const std::string& chosen) {
    const bool changed = typed(label, asked.empty() ? chosen : asked);
    if (!changed || edit_.data() == asked || (asked.empty() && edit_.data() == chosen)) {
        return false;
    }
    asked = edit_.data();
    return true;
}

bool Fields::text(const char* label, std::string& asked, const std::string& chosen,
                  const std::vector<std::string>& usual) {
    const float full = width_, button = ImGui::GetFrameHeight(), gap = ImGui::GetStyle().ItemInnerSpacing.x;
    if (full < 3 * button) {
        return text(label, asked, chosen);
    }
    width_ = full - button - gap;
    const bool changed = text(label, asked, chosen);
    width_ = full;
    ImGui::SameLine(0, gap);
    const std::string& now = asked.empty() ? chosen : asked;
    ListBox box{.id = std::string("##usual ") + label, .width = button};
    box.items = usual;
    box.now = static_cast<std::size_t>(std::find(usual.begin(), usual.end(), now) - usual.begin());
    box.drawn = [&](std::size_t i) {
        const ImVec2 at = ImGui::GetItemRectMin(), end = ImGui::GetItemRectMax();
        context_->placed("usual-" + usual[i], {at.x, at.y, end.x - at.x, end.y - at.y});
    };
    const auto taken = list_box(*context_, box);
    const ImVec2 at = ImGui::GetItemRectMin(), end = ImGui::GetItemRectMax();
    context_->placed(std::string("usual ") + label, {at.x, at.y, end.x - at.x, end.y - at.y});
    if (taken && usual[*taken] != now) {
        asked = usual[*taken];
        return true;
    }
    return changed;
}

bool Fields::typed(const char* label, const std::string& value) {
    const bool here = field(label);
    const bool edits = edited_ == label;
    if (!edits) {
        text_.fill(0);
        std::strncpy(text_.data(), value.c_str(), text_.size() - 1);
    }
    auto& text = edits ? edit_ : text_;
    const std::string item = std::string("##") + label;
    if (here && !edits) {
        focus_next_item();
    }
    ImGui::InputText(item.c_str(), text.data(), text.size(), ImGuiInputTextFlags_AutoSelectAll);
    if (ImGui::IsItemActivated()) {
        edited_ = label;
        edit_ = text_;
        if (!here) { // by the mouse
            context_->keyboard.give(panel_);
            cursor_ = at_ - 1;
            settled_ = true;
        }
    }
    const bool left = edits && !ImGui::IsItemActive();
    const bool after_edit = left && ImGui::IsItemDeactivatedAfterEdit();
    emptied_ = after_edit && edit_[0] == '\0';
    if (here) {
        mark();
    }
    if (left) {
        edited_.clear();
    }
    return after_edit;
}

bool Fields::elements(std::uint64_t& n) {
    const std::uint64_t before = n;
    const float button = ImGui::GetFrameHeight(), gap = ImGui::GetStyle().ItemInnerSpacing.x;
    const float full = width_, label = label_;
    // Of four digits at least, so that the fields below stay where they are while a smaller number is typed.
    const float number = ImGui::CalcTextSize(std::to_string(std::max<std::uint64_t>(n, 1000)).c_str()).x +
                         2 * ImGui::GetStyle().FramePadding.x;
    const bool above = number > full - 2 * (button + gap); // the label is above if the number needs its room
    width_ = full + (above ? label_ : 0) - 2 * (button + gap);
    label_ = above ? 0 : label_;
    if (std::uint64_t count = n; whole("elements", count, 1)) {
        n = std::min<std::uint64_t>(count, kMaxElements);
    }
    width_ = full;
    label_ = label;
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, ImGui::GetStyle().FramePadding.y});
    ImGui::SameLine(0, gap);
    if (ImGui::Button("÷2", {button, 0}) && n > 1) {
        n /= 2;
    }
    ImGui::SameLine(0, gap);
    if (ImGui::Button("×2", {button, 0}) && n < kMaxElements) {
        n *= 2;
    }
    ImGui::PopStyleVar();
    return n != before;
}

std::optional<std::size_t> Fields::list(const char* label, const std::string& shown,
                                        const std::vector<std::string>& items, std::size_t now) {
    const bool here = field(label);
    ListBox box{.id = std::string("##") + label, .shown = shown, .width = width_};
    box.items = items;
    box.now = now;
    auto taken = list_box(*context_, box);
    if (here) {
        mark();
    }
    const auto count = std::ssize(items);
    if (const int by = here ? turn() : 0; by != 0 && count != 0) {
        const auto from = static_cast<std::ptrdiff_t>(taken.value_or(now));
        taken = static_cast<std::size_t>((from + by + count) % count);
    }
    return taken;
}

} // namespace warptree::panels
