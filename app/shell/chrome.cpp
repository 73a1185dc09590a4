// The frame of every page: top bar, progress, notices.
#include "app/shell/screen.hpp"

#include "app/features/widgets/color.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/simt/machine.hpp"

#include <GLFW/glfw3.h>

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>

namespace warptree::window {

void Screen::draw_top_bar(panels::Context& c, const scene::Rect& bar) {
    pages::begin_fixed("top", {0, 0, bar.w, bar.h});
    const float y = (bar.h - ImGui::GetFrameHeight()) / 2;
    float right = bar.w - c.px(10), tabs = c.px(18); // the minimum for the screens' tabs
    for (const auto& page : pages_) {
        tabs += ImGui::CalcTextSize(std::to_string(page->digit()).c_str()).x + c.px(22);
    }
    const Judged judged_run = judged();
    if (std::string title = judged_run.name + " – warptree"; title != titled_) {
        glfwSetWindowTitle(window_, title.c_str());
        titled_ = std::move(title);
    }
    const float verdict = verdict_room(c, judged_run, c.px(80));
    const auto button = [&](const std::string& text, const char* id, const char* tip, auto act) {
        const float w = ImGui::CalcTextSize(text.c_str()).x + c.px(18);
        if (right - w - c.px(4) < tabs) {
            return; // there is a key for it too
        }
        right -= w + c.px(4);
        ImGui::SetCursorPos({right, y});
        if (ImGui::Button((text + "##" + id).c_str(), {w, 0})) {
            act();
        }
        if (ImGui::IsItemHovered()) {
            pages::tooltip(c, tip);
        }
        state_.place(id, {right, y, w, ImGui::GetFrameHeight()});
    };
    button("Menu", "menu", "The actions of this screen (F10)", [&] {
        if (dialogs_.current() == Dialog::menu) {
            dialogs_.close();
        } else {
            dialogs_.show(Dialog::menu, explore_);
        }
    });
    tabs += verdict; // which takes precedence over all but the menu
    button("F1", "help", "Keys and help", [&] { dialogs_.show(Dialog::help, explore_); });
    button("Ctrl K", "palette", "Every action by name", [&] { dialogs_.show(Dialog::palette, explore_); });
    float least_tabs = 0; // the tabs take precedence over the name
    for (const auto& page : pages_) {
        least_tabs += ImGui::CalcTextSize(page->title()).x + c.px(34);
    }
    const char* const theme = std::array{"Light", "Dark", "Contrast"}[static_cast<std::size_t>(explore_.looks.theme)];
    const std::string scale = fmt::format("{:.0f} %", 100 * explore_.looks.scale);
    ImGui::PushFont(fonts_.font(scene::Face::sans_bold, 18 * fonts_.scale()));
    const float brand = ImGui::CalcTextSize("warptree").x + c.px(28);
    ImGui::PopFont();
    // Beside all else, the whole name included, or not at all: the menu has them, too.
    float all = c.px(18) + brand + least_tabs + verdict_room(c, judged_run, bar.w);
    for (const char* text : {theme, scale.c_str(), "Copy state", "Copy table"}) {
        all += ImGui::CalcTextSize(text).x + c.px(22);
    }
    if (all < right) {
        button("Copy state", "state", "Copy what this screen shows, as a command (Ctrl+Shift+U); Ctrl+U shows it",
               [&] { act("copy-state"); });
        if (pages_[page_]->has_table()) {
            button("Copy table", "copy-table", "Copy the table as Markdown (Ctrl+C); as CSV: Ctrl+Shift+C",
                   [&] { copy_table(TableFormat::markdown); });
        }
    }
    if (const float named = c.px(18) + least_tabs + verdict; named < right) {
        tabs = std::max(tabs, named); // the screens' names are worth more than theme and scale
    }
    button(theme, "theme", "Theme (T)", [&] { explore_.next_theme(); });
    button(scale, "scale", "Back to 100 % (Ctrl+0)", [&] { explore_.scale_by(0); });

    float left = c.px(18);
    const bool branded = left + brand + least_tabs + verdict < right;
    if (branded) {
        ImGui::PushFont(fonts_.font(scene::Face::sans_bold, 18 * fonts_.scale()));
        ImGui::SetCursorPos({left, y + (ImGui::GetFrameHeight() - ImGui::GetTextLineHeight()) / 2 - c.px(3)});
        ImGui::TextUnformatted("warptree");
        ImGui::PopFont();
    }
    left += branded ? brand : 0;
    left = draw_page_tabs(c, left, right, verdict, y) + c.px(22);
    left = draw_verdict(c, judged_run, left, right, y);
    const auto& trace = explore_.trace();
    const bool recorded = !explore_.file().empty();
    const std::string device = recorded && trace ? "recorded: " + trace->device.name
                               : trace && trace->options.backend == Backend::cuda
                                   ? trace->device.name
                                   : fmt::format("CPU interpreter, {} cores", simt::default_workers());
    // A notice goes here if it fits, out of the panels' way, if need be in place of the device.
    const float notice = ImGui::CalcTextSize(notice_.c_str()).x + c.px(24), room = right - left;
    const float device_width = ImGui::CalcTextSize(device.c_str()).x + c.px(24);
    const bool noticed = !notice_.empty() && notice_until_ > last_;
    notice_in_bar_ = notice < room;
    if (noticed && notice_in_bar_) {
        ImGui::SetCursorPos({left, y});
        ImGui::AlignTextToFramePadding();
        ImGui::TextUnformatted(notice_.c_str());
    }
    if (device_width + (noticed && notice_in_bar_ ? notice : 0) < room) {
        ImGui::SetCursorPos({right - device_width + c.px(4), y});
        ImGui::AlignTextToFramePadding();
        const ImVec2 at = ImGui::GetCursorScreenPos();
        ImGui::GetWindowDrawList()->AddCircleFilled({at.x - c.px(10), at.y + ImGui::GetFrameHeight() / 2}, c.px(4),
                                                    u32(c.theme.agree));
        ImGui::TextDisabled("%s", device.c_str());
        state_.place("device", {right - device_width, y, device_width, ImGui::GetFrameHeight()});
    }
    pages::end_fixed();
}

// The screens by name and digit; by digit alone where there is no room for names and for what stands beside them.
float Screen::draw_page_tabs(panels::Context& c, float left, float right, float beside, float y) {
    std::vector<std::string> names, digits;
    float full = 0;
    for (const auto& page : pages_) {
        names.push_back(fmt::format("{} {}", page->digit(), page->title()));
        digits.push_back(std::to_string(page->digit()));
        full += ImGui::CalcTextSize(names.back().c_str()).x + c.px(22);
    }
    const std::vector<std::string>& shown = left + full + beside < right ? names : digits;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const float w = ImGui::CalcTextSize(shown[i].c_str()).x + c.px(18);
        if (left + w > right) {
            break;
        }
        ImGui::SetCursorPos({left, y});
        const ImGuiCol color = i == page_ ? ImGuiCol_Header : ImGuiCol_WindowBg;
        ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(color));
        const std::string id = std::string("page-") + pages_[i]->id();
        if (ImGui::Button((shown[i] + "##" + id).c_str(), {w, 0})) {
            go_to_page(i);
        }
        ImGui::PopStyleColor();
        state_.place(id, {left, y, w, ImGui::GetFrameHeight()});
        left += w + c.px(4);
    }
    return left;
}

void Screen::draw_progress(panels::Context& c, float top) {
    const session::FileJob& job = dialogs_.job();
    const double done = explore_.runner().progress();
    const bool tracing = explore_.runner().busy() && !explore_.tries() && (done >= 0.02 || explore_.runner().lasting());
    if (!tracing && !job.lasting() && !search_.lasting()) {
        return;
    }
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({display.x / 2, top + c.px(20)}, ImGuiCond_Always, {0.5F, 0});
    ImGui::Begin("progress", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing);
    const auto line = [&](const std::string& what, double progress, const char* id, const char* cancel = "Cancel") {
        if (progress < 0.02) {
            ImGui::AlignTextToFramePadding();
        }
        ImGui::TextUnformatted(what.c_str());
        if (progress >= 0.02) { // else nobody knows how much is left
            ImGui::ProgressBar(static_cast<float>(progress), {c.px(260), 0});
        }
        ImGui::SameLine();
        return ImGui::Button((std::string(cancel) + "##" + id).c_str());
    };
    if (tracing && line("running " + explore_.shown_name(), done, "run", "Cancel (Esc)")) {
        cancel_run();
    }
    if (tracing) {
        const ImVec2 at = ImGui::GetItemRectMin(), end = ImGui::GetItemRectMax();
        state_.place("cancel-run", {at.x, at.y, end.x - at.x, end.y - at.y});
    }
    if (job.lasting() && line(job.what(), job.progress(), "job")) {
        dialogs_.job().cancel();
    }
    if (search_.lasting() && line(search_.what(), 0, "search")) {
        search_.cancel();
    }
    ImGui::End();
}

// A lecturer's pointer: a ring around the mouse, above everything, and one that grows where it clicked. It is drawn
// with the rest of the frame, so that what was under it is redrawn when it moves.
void Screen::draw_pointer(const panels::Context& c) {
    constexpr double kRipple = 0.45; // seconds
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (!explore_.looks.shows_pointer()) {
        clicked_ = -1;
        return;
    }
    const auto ring = [&](ImVec2 at, float radius, float share) {
        scene::Color inner = c.theme.attention, outer = c.theme.background;
        inner.a = outer.a = static_cast<std::uint8_t>(255 * share);
        ImDrawList* list = ImGui::GetForegroundDrawList();
        list->AddCircle(at, radius, u32(outer), 64, c.px(6)); // visible on any background
        list->AddCircle(at, radius, u32(inner), 64, c.px(3));
    };
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) || ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
        clicked_ = last_;
        clicked_at_ = {mouse.x, mouse.y};
    }
    if (clicked_ >= 0) {
        const auto done = static_cast<float>((last_ - clicked_) / kRipple);
        if (done < 1) {
            ring({clicked_at_.x, clicked_at_.y}, c.px(20) * (1 + done), 1 - done);
            ripples_ = true;
        } else {
            clicked_ = -1;
        }
    }
    if (ImGui::IsMousePosValid(&mouse)) {
        ring(mouse, c.px(20), 1);
    }
}

// A notice that does not fit in the top bar: above the transport, as wide as needed but narrower than the window.
void Screen::draw_notice(panels::Context& c, float bottom) {
    if (notice_.empty() || notice_in_bar_ || notice_until_ <= last_) {
        return;
    }
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const float room = std::min(display.x * 0.8F, c.px(760));
    const float width = std::min(ImGui::CalcTextSize(notice_.c_str()).x, room) + 2 * c.px(14);
    ImGui::SetNextWindowPos({display.x / 2, bottom - c.px(12)}, ImGuiCond_Always, {0.5F, 1});
    ImGui::SetNextWindowSize({width, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {c.px(14), c.px(8)});
    ImGui::PushStyleColor(ImGuiCol_Border, ImGui::GetStyleColorVec4(ImGuiCol_CheckMark));
    ImGui::Begin("notice", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(notice_.c_str());
    ImGui::PopTextWrapPos();
    ImGui::End();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
}

} // namespace warptree::window
