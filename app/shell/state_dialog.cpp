// The dialog that shows the state as a string, and goes to a typed one.
#include "app/shell/dialogs.hpp"

#include "app/base/error.hpp"
#include "app/document/state_string.hpp"
#include "app/features/widgets/focus.hpp"

#include <imgui.h>

#include <utility>

namespace warptree::window {

void Dialogs::draw_error(panels::Context& c) const {
    if (error_.empty()) {
        return;
    }
    const scene::Color& a = c.theme.attention;
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(IM_COL32(a.r, a.g, a.b, a.a)), "!");
    ImGui::SameLine();
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(error_.c_str());
    ImGui::PopTextWrapPos();
}

// The state to copy, or another one to go to.
void Dialogs::draw_state(panels::Context& c, std::string& notice) {
    if (std::exchange(opened_, false)) {
        panels::focus_next_item();
    }
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint(("##state" + std::to_string(generation_)).c_str(), "explore/sequential?n=64&step=3",
                             text_.data(), text_.size(), ImGuiInputTextFlags_AutoSelectAll);
    ImGui::PushTextWrapPos(0);
    ImGui::TextDisabled("Type another, or paste a command, and press Enter to go there. In a terminal:");
    const std::string typed(session::without_command(text_.data()));
    const std::string command = "warptree --state '" + typed + "'";
    ImGui::PushFont(c.fonts.mono());
    ImGui::TextUnformatted(command.c_str());
    ImGui::PopFont();
    const bool of_a_file = typed.find("file=") != std::string::npos;
    if (of_a_file) {
        ImGui::TextDisabled("On another computer this file is not there: Copy for others takes its text along, if that "
                            "is short enough.");
    }
    ImGui::PopTextWrapPos();
    draw_error(c);
    const auto copy = [&](const std::string& text) {
        ImGui::SetClipboardText(text.c_str());
        notice = "copied: " + text;
        close();
    };
    if (ImGui::Button("Go there") || std::exchange(enter_, false)) {
        try {
            show_state(typed);
            close();
        } catch (const Error& refused) {
            error_ = refused.what();
        }
    }
    ImGui::SameLine();
    if (ImGui::Button("Copy command")) {
        copy(command);
    }
    ImGui::SameLine();
    if (ImGui::Button("Copy string")) {
        copy(typed);
    }
    if (of_a_file) {
        ImGui::SameLine();
        if (ImGui::Button("Copy for others")) {
            copy_for_others();
            close();
        }
    }
}

} // namespace warptree::window
