#include "app/window_dialogs.hpp"

#include "app/render/cairo_picture.hpp"
#include "kernels/build_info.hpp"
#include "kernels/error.hpp"
#include "kernels/trace/file.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

namespace warptree::window {

namespace {
constexpr const char* kViews[] = {"tree", "warps", "banks", "source"};

bool is_fuzzy(std::string_view text, std::string_view wanted) {
    std::size_t at = 0;
    for (const char c : wanted) {
        const auto same = [&](char t) {
            return std::tolower(static_cast<unsigned char>(t)) == std::tolower(static_cast<unsigned char>(c));
        };
        while (at < text.size() && !same(text[at])) {
            ++at;
        }
        if (at++ >= text.size()) {
            return false;
        }
    }
    return true;
}

std::filesystem::path directory_of(const char* text) {
    const std::filesystem::path path(text);
    std::error_code none;
    if (std::filesystem::is_directory(path, none)) {
        return path;
    }
    return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}
} // namespace

const char* name(Dialog dialog) {
    switch (dialog) {
    case Dialog::none: return "none";
    case Dialog::open: return "open";
    case Dialog::save: return "save";
    case Dialog::export_picture: return "export";
    case Dialog::palette: return "palette";
    case Dialog::help: return "help";
    }
    return "";
}

void Dialogs::show(Dialog dialog, const session::Explore& explore) {
    current_ = dialog;
    opened_ = true;
    enter_ = false;
    error_.clear();
    choice_ = 0;
    std::string text;
    if (dialog == Dialog::save) {
        text = explore.options.strategy + ".wtrace";
    } else if (dialog == Dialog::export_picture) {
        text = explore.options.strategy + "-" + kViews[view_] + ".png";
    }
    text_.fill(0);
    std::memcpy(text_.data(), text.data(), std::min(text.size(), text_.size() - 1));
}

void Dialogs::draw(panels::Context& c, const std::vector<Action>& actions, std::string& notice) {
    if (current_ == Dialog::none) {
        return;
    }
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const float width = std::min(c.px(current_ == Dialog::help ? 620 : 560), display.x * 0.94F);
    ImGui::SetNextWindowPos({display.x / 2, display.y * 0.14F}, ImGuiCond_Always, {0.5F, 0});
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, display.y * 0.8F});
    bool keep = true;
    constexpr const char* kTitles[] = {"",        "Open a trace", "Save the trace", "Export a picture",
                                       "Actions", "Keys and help"};
    ImGui::Begin(kTitles[static_cast<int>(current_)], &keep,
                 ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize);
    if (opened_) {
        ImGui::SetWindowFocus();
    }
    if (current_ == Dialog::palette) {
        draw_palette(actions);
    } else if (current_ == Dialog::help) {
        draw_help(c, actions);
    } else {
        draw_path(c, notice);
    }
    opened_ = false;
    ImGui::End();
    if (!keep) {
        close();
    }
}

void Dialogs::draw_path(panels::Context& c, std::string& notice) {
    if (current_ == Dialog::export_picture) {
        ImGui::SetNextItemWidth(c.px(160));
        if (ImGui::Combo("view", &view_, kViews, 4)) {
            show(Dialog::export_picture, c.explore);
        }
        ImGui::TextDisabled("The name's end decides the format: .png, .svg or .pdf");
    }
    if (opened_) {
        ImGui::SetKeyboardFocusHere();
    }
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint("##path", "path of a file", text_.data(), text_.size(), ImGuiInputTextFlags_AutoSelectAll);
    if (current_ == Dialog::open) {
        draw_files();
    }
    if (!error_.empty()) {
        ImGui::PushTextWrapPos(0);
        const scene::Color& a = c.theme.attention;
        ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(IM_COL32(a.r, a.g, a.b, a.a)), "! %s", error_.c_str());
        ImGui::PopTextWrapPos();
    }
    const char* verb = current_ == Dialog::open ? "Open" : current_ == Dialog::save ? "Save" : "Export";
    if (ImGui::Button(verb) || std::exchange(enter_, false)) {
        accept(c.explore, notice);
    }
    ImGui::SameLine();
    if (ImGui::Button("Cancel")) {
        close();
    }
}

// Traces and directories where the path points.
void Dialogs::draw_files() {
    ImGui::BeginChild("##files", {0, ImGui::GetTextLineHeightWithSpacing() * 9}, true);
    std::error_code error;
    std::vector<std::string> names{".."};
    for (const auto& entry : std::filesystem::directory_iterator(directory_of(text_.data()), error)) {
        if (entry.is_directory(error)) {
            names.push_back(entry.path().filename().string() + "/");
        } else if (entry.path().extension() == ".wtrace") {
            names.push_back(entry.path().filename().string());
        }
    }
    std::sort(names.begin() + 1, names.end());
    for (const std::string& file : names) {
        if (ImGui::Selectable(file.c_str())) {
            const std::string path = (directory_of(text_.data()) / file).lexically_normal().string();
            text_.fill(0);
            std::memcpy(text_.data(), path.data(), std::min(path.size(), text_.size() - 1));
        }
    }
    ImGui::EndChild();
}

void Dialogs::accept(session::Explore& e, std::string& notice) {
    const std::string path = text_.data();
    if (path.empty()) {
        error_ = "name a file";
        return;
    }
    try {
        if (current_ == Dialog::open) {
            e.open(path);
            notice = "opened " + path;
        } else if (!e.trace()) {
            throw FileError("there is no trace yet");
        } else if (current_ == Dialog::save) {
            save(*e.trace(), path);
            notice = "saved " + path;
        } else {
            render::PictureRequest request;
            request.trace = e.trace().get();
            request.view = *render::view_from(kViews[view_]);
            request.moment = e.playback.moment();
            request.theme = e.looks.theme;
            request.path = path;
            render::render_picture(request);
            notice = "exported " + path;
        }
        close();
    } catch (const Error& failure) {
        error_ = failure.what();
    }
}

void Dialogs::draw_palette(const std::vector<Action>& actions) {
    if (opened_) {
        ImGui::SetKeyboardFocusHere();
    }
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint("##action", "type a part of its name, Enter does it", text_.data(), text_.size(),
                             ImGuiInputTextFlags_AutoSelectAll);
    const Action* chosen = nullptr;
    const Action* first = nullptr;
    ImGui::BeginChild("##actions", {0, ImGui::GetTextLineHeightWithSpacing() * 14});
    for (const Action& a : actions) {
        if (!is_fuzzy(a.title, text_.data())) {
            continue;
        }
        first = first == nullptr ? &a : first;
        if (ImGui::Selectable(a.title.c_str(), first == &a)) {
            chosen = &a;
        }
        const float width = ImGui::CalcTextSize(a.keys.c_str()).x;
        ImGui::SameLine(ImGui::GetContentRegionAvail().x - width);
        ImGui::TextDisabled("%s", a.keys.c_str());
    }
    ImGui::EndChild();
    if (std::exchange(enter_, false)) {
        chosen = first;
    }
    if (chosen != nullptr) {
        close();
        chosen->act();
    }
}

void Dialogs::draw_help(panels::Context& c, const std::vector<Action>& actions) {
    ImGui::TextWrapped("warptree %s steps through a recorded reduction. Hover shows what a cell is, a click keeps it; "
                       "the wheel zooms the tree, dragging pans it.",
                       std::string(build_info().version).c_str());
    ImGui::Dummy({0, c.px(4)});
    ImGui::BeginChild("##keys",
                      {0, std::min(ImGui::GetTextLineHeightWithSpacing() * 14, ImGui::GetIO().DisplaySize.y * 0.5F)});
    const float half = ImGui::GetContentRegionAvail().x / 2;
    int shown = 0;
    for (const Action& a : actions) {
        if (a.keys.empty()) {
            continue;
        }
        if (shown++ % 2 == 1) {
            ImGui::SameLine(half);
        }
        const float x = ImGui::GetCursorPosX();
        ImGui::TextUnformatted(a.keys.c_str());
        ImGui::SameLine(x + c.px(96));
        std::string title = a.title;
        while (title.size() > 4 && ImGui::CalcTextSize(title.c_str()).x > half - c.px(104)) {
            title = title.substr(0, title.find_last_of(" :,"));
        }
        ImGui::TextDisabled("%s", title.c_str());
    }
    ImGui::EndChild();
    ImGui::TextDisabled("Esc closes. Everything is in Ctrl+K, by name.");
}

} // namespace warptree::window
