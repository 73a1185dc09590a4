#include "app/shell/style.hpp"

#include "app/features/widgets/color.hpp"

#include <imgui.h>

namespace warptree::window {

void apply_style(const scene::Theme& t, float scale) {
    ImGuiStyle style;
    style.WindowBorderSize = 1;
    style.FrameBorderSize = 1;
    style.PopupBorderSize = 1;
    style.WindowRounding = 6;
    style.ChildRounding = 4;
    style.FrameRounding = 5;
    style.PopupRounding = 6;
    style.ScrollbarRounding = 6;
    style.GrabRounding = 4;
    style.WindowPadding = {12, 9};
    style.FramePadding = {9, 5};
    style.ItemSpacing = {8, 5};
    style.ItemInnerSpacing = {5, 4};
    style.ScrollbarSize = 10;
    style.WindowMinSize = {8, 8};
    style.ScaleAllSizes(scale);
    ImVec4* c = style.Colors;
    c[ImGuiCol_Text] = vec(t.text);
    c[ImGuiCol_TextDisabled] = vec(t.muted);
    c[ImGuiCol_WindowBg] = vec(t.panel);
    c[ImGuiCol_ChildBg] = {0, 0, 0, 0};
    c[ImGuiCol_PopupBg] = vec(t.panel);
    c[ImGuiCol_Border] = vec(t.line);
    c[ImGuiCol_FrameBg] = vec(t.background);
    c[ImGuiCol_FrameBgHovered] = vec(t.accent_fill, 0.6F);
    c[ImGuiCol_FrameBgActive] = vec(t.accent_fill);
    c[ImGuiCol_Button] = vec(t.background);
    c[ImGuiCol_ButtonHovered] = vec(t.accent_fill);
    c[ImGuiCol_ButtonActive] = vec(t.accent_fill);
    c[ImGuiCol_Header] = vec(t.accent_fill);
    c[ImGuiCol_HeaderHovered] = vec(t.accent_fill, 0.6F);
    c[ImGuiCol_HeaderActive] = vec(t.accent_fill);
    c[ImGuiCol_Separator] = vec(t.line);
    c[ImGuiCol_SeparatorHovered] = c[ImGuiCol_SeparatorActive] = vec(t.accent);
    c[ImGuiCol_ScrollbarBg] = {0, 0, 0, 0};
    c[ImGuiCol_ScrollbarGrab] = vec(t.line);
    c[ImGuiCol_ScrollbarGrabHovered] = c[ImGuiCol_ScrollbarGrabActive] = vec(t.faint);
    c[ImGuiCol_CheckMark] = c[ImGuiCol_SliderGrab] = c[ImGuiCol_SliderGrabActive] = vec(t.accent);
    c[ImGuiCol_NavHighlight] = vec(t.accent);
    c[ImGuiCol_TextSelectedBg] = vec(t.accent_fill);
    c[ImGuiCol_TitleBg] = c[ImGuiCol_TitleBgActive] = vec(t.background);
    c[ImGuiCol_ModalWindowDimBg] = vec(t.background, 0.6F);
    ImGui::GetStyle() = style;
}

} // namespace warptree::window
