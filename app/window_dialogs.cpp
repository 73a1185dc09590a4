#include "app/window_dialogs.hpp"

#include "app/render/cairo_picture.hpp"
#include "kernels/build_info.hpp"
#include "kernels/error.hpp"
#include "kernels/trace/file.hpp"

#include <GLFW/glfw3.h>

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

bool has(std::string_view text, std::string_view part) {
    return std::search(text.begin(), text.end(), part.begin(), part.end(), [](unsigned char a, unsigned char b) {
               return std::tolower(a) == std::tolower(b);
           }) != text.end();
}

// Of a list in a dialog: it grows with the text until the window ends.
float list_height() {
    return std::min(ImGui::GetTextLineHeightWithSpacing() * 14, ImGui::GetIO().DisplaySize.y * 0.42F);
}

std::filesystem::path directory_of(const char* text) {
    std::filesystem::path path(text);
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
    case Dialog::state: return "state";
    }
    return "";
}

void Dialogs::show(Dialog dialog, const session::Explore& explore, const std::string& given) {
    current_ = dialog;
    opened_ = true;
    enter_ = false;
    moves_ = 0;
    error_.clear();
    choice_ = dialog == Dialog::open ? -1 : 0;
    files_.clear();
    listed_ = "*";
    std::string text;
    if (dialog == Dialog::save) {
        text = explore.options.strategy + ".wtrace";
    } else if (dialog == Dialog::export_picture) {
        text = given.empty() ? explore.options.strategy + "-" + kViews[view_] + ".png" : given;
    } else if (dialog == Dialog::state) {
        text = given;
    }
    set_text(text);
}

void Dialogs::set_text(const std::string& text) {
    text_.fill(0);
    std::memcpy(text_.data(), text.data(), std::min(text.size(), text_.size() - 1));
    ++generation_;
    opened_ = true;
}

bool Dialogs::key(const KeyPress& press) {
    if (press.modifiers != 0 && press.key != GLFW_KEY_TAB) {
        return false;
    }
    switch (press.key) {
    case GLFW_KEY_ENTER:
        if (current_ == Dialog::help) {
            close();
        }
        enter_ = true;
        return true;
    case GLFW_KEY_DOWN: ++moves_; return true;
    case GLFW_KEY_UP: --moves_; return true;
    case GLFW_KEY_TAB: moves_ += press.modifiers == kShift ? -1 : 1; return true;
    default: return false;
    }
}

void Dialogs::draw(panels::Context& c, const std::vector<Action>& actions, const pages::Page& page,
                   std::string& notice) {
    if (current_ == Dialog::none) {
        return;
    }
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const float width = std::min(c.px(current_ == Dialog::help ? 680 : 560), display.x * 0.94F);
    ImGui::SetNextWindowPos({display.x / 2, display.y * 0.1F}, ImGuiCond_Always, {0.5F, 0});
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, display.y * 0.88F});
    bool keep = true;
    constexpr const char* kTitles[] = {"",
                                       "Open a trace",
                                       "Save the trace",
                                       "Export a picture",
                                       "Actions",
                                       "Keys and help",
                                       "What is shown, as a string"};
    ImGui::Begin(kTitles[static_cast<int>(current_)], &keep,
                 ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize);
    if (opened_) {
        ImGui::SetWindowFocus();
        ImGui::SetScrollY(0);
    }
    if (current_ == Dialog::palette) {
        draw_palette(c, actions);
    } else if (current_ == Dialog::help) {
        draw_help(c, actions);
    } else if (current_ == Dialog::state) {
        draw_state(c, notice);
    } else {
        draw_path(c, page, notice);
    }
    ImGui::End();
    if (!keep) {
        close();
    }
}

// One chip a view; arrow keys choose, too.
void Dialogs::draw_views(panels::Context& c) {
    constexpr int kCount = static_cast<int>(std::size(kViews));
    int chosen = (view_ + std::exchange(moves_, 0) % kCount + kCount) % kCount;
    for (int v = 0; v < kCount; ++v) {
        ImGui::PushStyleColor(ImGuiCol_Button,
                              ImGui::GetStyleColorVec4(v == view_ ? ImGuiCol_Header : ImGuiCol_Button));
        chosen = ImGui::Button(kViews[v]) ? v : chosen;
        ImGui::PopStyleColor();
        ImGui::SameLine();
    }
    ImGui::NewLine();
    if (chosen != view_) {
        const std::string before = std::string("-") + kViews[view_] + ".",
                          after = std::string("-") + kViews[chosen] + ".";
        std::string text = text_.data();
        if (const auto at = text.rfind(before); at != std::string::npos) {
            set_text(text.replace(at, before.size(), after));
        }
        view_ = chosen;
    }
    ImGui::PushTextWrapPos(0);
    ImGui::TextColored(ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled),
                       "The name's end decides the format: .png, .svg or "
                       ".pdf. Arrow keys choose the view.");
    ImGui::PopTextWrapPos();
    ImGui::Dummy({0, c.px(2)});
}

void Dialogs::draw_path(panels::Context& c, const pages::Page& page, std::string& notice) {
    if (current_ == Dialog::export_picture && page.picture_name().empty()) {
        draw_views(c);
    }
    if (opened_) {
        ImGui::SetKeyboardFocusHere();
    }
    ImGui::SetNextItemWidth(-1);
    const std::string field = "##path" + std::to_string(generation_);
    opened_ = false;
    ImGui::InputTextWithHint(field.c_str(), "path of a file", text_.data(), text_.size(),
                             ImGuiInputTextFlags_AutoSelectAll);
    if (current_ == Dialog::open) {
        draw_files(c);
    }
    draw_error(c);
    const char* verb = current_ == Dialog::open ? "Open" : current_ == Dialog::save ? "Save" : "Export";
    if (ImGui::Button(verb) || std::exchange(enter_, false)) {
        accept(c.explore, page, notice);
    }
    ImGui::SameLine();
    if (ImGui::Button("Cancel")) {
        close();
    }
}

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
        ImGui::SetKeyboardFocusHere();
    }
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint(("##state" + std::to_string(generation_)).c_str(), "explore/sequential?n=64&step=3",
                             text_.data(), text_.size(), ImGuiInputTextFlags_AutoSelectAll);
    ImGui::PushTextWrapPos(0);
    ImGui::TextDisabled("Type another one and Enter to go there. In a terminal:");
    const std::string command = "warptree --state '" + std::string(text_.data()) + "'";
    ImGui::PushFont(c.fonts.mono());
    ImGui::TextUnformatted(command.c_str());
    ImGui::PopFont();
    ImGui::PopTextWrapPos();
    draw_error(c);
    const auto copy = [&](const std::string& text) {
        ImGui::SetClipboardText(text.c_str());
        notice = "copied: " + text;
        close();
    };
    if (ImGui::Button("Go there") || std::exchange(enter_, false)) {
        try {
            show_state(text_.data());
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
        copy(text_.data());
    }
}

// Traces and directories where the path points; the arrow keys choose one.
void Dialogs::draw_files(panels::Context& c) {
    if (listed_ != text_.data()) {
        listed_ = text_.data();
        choice_ = -1;
        std::error_code error;
        files_.assign(1, "..");
        for (const auto& entry : std::filesystem::directory_iterator(directory_of(text_.data()), error)) {
            if (entry.is_directory(error)) {
                files_.push_back(entry.path().filename().string() + "/");
            } else if (entry.path().extension() == ".wtrace") {
                files_.push_back(entry.path().filename().string());
            }
        }
        std::sort(files_.begin() + 1, files_.end());
    }
    const int moves = std::exchange(moves_, 0);
    choice_ = std::clamp(choice_ + moves, -1, static_cast<int>(files_.size()) - 1);
    int taken = enter_ ? choice_ : -1;
    ImGui::BeginChild(
        "##files", {0, std::min(ImGui::GetTextLineHeightWithSpacing() * 9, ImGui::GetIO().DisplaySize.y * 0.3F)}, true);
    for (int i = 0; i < static_cast<int>(files_.size()); ++i) {
        if (ImGui::Selectable(files_[static_cast<std::size_t>(i)].c_str(), i == choice_)) {
            taken = i;
        }
        if (i == choice_) {
            panels::focus_ring(c);
            if (moves != 0) {
                ImGui::SetScrollHereY(0.5F);
            }
        }
    }
    ImGui::EndChild();
    if (taken < 0) {
        return;
    }
    const std::string& file = files_[static_cast<std::size_t>(taken)];
    const bool directory = file == ".." || file.back() == '/';
    std::string path = (directory_of(text_.data()) / file).lexically_normal().string();
    if (directory && path.back() != '/') {
        path += '/';
    }
    enter_ = enter_ && !directory; // Enter opens the file at once
    set_text(path);
}

void Dialogs::accept(session::Explore& e, const pages::Page& page, std::string& notice) {
    const std::string path = text_.data();
    if (path.empty()) {
        error_ = "name a file";
        return;
    }
    try {
        const std::filesystem::path directory = std::filesystem::path(path).parent_path();
        if (current_ != Dialog::open && !directory.empty() && !std::filesystem::is_directory(directory)) {
            throw FileError(fmt::format("there is no directory {}; name one that exists", directory.string()));
        }
        if (current_ == Dialog::open) {
            if (open(e, path)) {
                notice = "opened " + path;
            }
        } else if (current_ == Dialog::export_picture && !page.picture_name().empty()) {
            page.picture(path, e.looks.theme);
            notice = "exported " + path;
        } else {
            write(e, path);
        }
        close();
    } catch (const std::exception& failure) { // the dialog stays open with the reason
        error_ = failure.what();
    }
}

// What can be known at once is; the rest is done away from this thread.
void Dialogs::write(const session::Explore& e, const std::string& path) {
    if (!e.trace()) {
        throw FileError("there is no trace yet");
    }
    if (job_.busy()) {
        throw FileError("still " + job_.what() + "; wait for it, or cancel it with Esc");
    }
    if (std::filesystem::is_directory(path)) {
        throw FileError(path + ": is a directory; name a file");
    }
    if (current_ == Dialog::save) {
        job_.start("saving " + path, [trace = e.trace(), path](RunControl& control) { save(*trace, path, &control); });
    } else {
        render::require_picture_name(path);
        render::PictureRequest request;
        request.view = *render::view_from(kViews[view_]);
        request.moment = e.playback.moment();
        request.theme = e.looks.theme;
        request.path = path;
        job_.start("exporting " + path, [trace = e.trace(), request](RunControl& control) mutable {
            request.trace = trace.get();
            request.control = &control;
            render::render_picture(request);
        });
    }
    asked_ = true;
    job_for_ = current_;
    job_path_ = path;
}

bool Dialogs::open(session::Explore& e, const std::string& path) {
    constexpr std::uintmax_t kSmall = 256 * 1024; // packed; unpacked and checked within a few frames
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error || size <= kSmall) {
        e.open(path); // or the reason why not
        return true;
    }
    if (job_.busy()) {
        throw FileError("still " + job_.what() + "; wait for it, or cancel it with Esc");
    }
    read_.reset();
    asked_ = current_ == Dialog::open;
    job_for_ = Dialog::open;
    job_path_ = path;
    job_.start("opening " + path,
               [this, path](RunControl& control) { read_ = std::make_shared<const Trace>(load(path, &control)); });
    return false;
}

bool Dialogs::poll(session::Explore& e, std::string& notice) {
    const auto outcome = job_.take();
    if (!outcome) {
        return false;
    }
    if (outcome->error.empty() && !outcome->cancelled && job_for_ == Dialog::open) {
        e.show_file(job_path_, std::move(read_));
        notice = "opened " + job_path_;
    } else if (outcome->error.empty()) {
        notice = !outcome->cancelled        ? (job_for_ == Dialog::save ? "saved " : "exported ") + job_path_
                 : job_for_ == Dialog::open ? "cancelled; nothing was opened"
                                            : "cancelled; nothing was written";
    } else if (current_ != Dialog::none || !asked_) {
        notice = outcome->error;
    } else {
        show(job_for_, e);
        set_text(job_path_);
        error_ = outcome->error;
    }
    return true;
}

void Dialogs::draw_palette(panels::Context& c, const std::vector<Action>& actions) {
    if (std::exchange(opened_, false)) {
        ImGui::SetKeyboardFocusHere();
    }
    ImGui::SetNextItemWidth(-1);
    if (ImGui::InputTextWithHint("##action",
                                 ImGui::GetIO().DisplaySize.x < c.px(480)
                                     ? "type a part of its name"
                                     : "type a part of its name; arrows choose, Enter does it",
                                 text_.data(), text_.size(), ImGuiInputTextFlags_AutoSelectAll)) {
        choice_ = 0;
    }
    std::vector<const Action*> shown;
    for (const Action& a : actions) {
        if (is_fuzzy(a.title, text_.data())) {
            shown.push_back(&a);
        }
    }
    // Whole words that are named come before letters that are strewn over a title.
    std::stable_partition(shown.begin(), shown.end(), [&](const Action* a) { return has(a->title, text_.data()); });
    const int moves = std::exchange(moves_, 0);
    choice_ = std::clamp(choice_ + moves, 0, std::max(0, static_cast<int>(shown.size()) - 1));
    const Action* chosen = nullptr;
    ImGui::BeginChild("##actions", {0, list_height()});
    for (int i = 0; i < static_cast<int>(shown.size()); ++i) {
        const Action& a = *shown[static_cast<std::size_t>(i)];
        if (ImGui::Selectable(a.title.c_str(), i == choice_) || (i == choice_ && enter_)) {
            chosen = &a;
        }
        if (i == choice_ && moves != 0) {
            ImGui::SetScrollHereY(0.5F);
        }
        const float width = ImGui::CalcTextSize(a.keys.c_str()).x, room = ImGui::GetContentRegionAvail().x - c.px(4);
        if (ImGui::CalcTextSize(a.title.c_str()).x + width + c.px(12) < room) {
            ImGui::SameLine(room - width);
            ImGui::TextDisabled("%s", a.keys.c_str());
        }
    }
    ImGui::EndChild();
    enter_ = false;
    if (chosen != nullptr) {
        close();
        chosen->act();
    }
}

void Dialogs::draw_help(panels::Context& c, const std::vector<Action>& actions) {
    opened_ = false;
    if (ImGui::GetIO().DisplaySize.y > c.px(420)) { // else the keys need the room
        ImGui::TextWrapped(
            "warptree %s steps through a recorded reduction. Hover shows what a cell is, a click keeps it; "
            "the wheel zooms the tree, dragging pans it.",
            std::string(build_info().version).c_str());
        ImGui::Dummy({0, c.px(4)});
    }
    ImGui::BeginChild("##keys", {0, list_height()});
    ImGui::SetScrollY(ImGui::GetScrollY() +
                      static_cast<float>(std::exchange(moves_, 0)) * ImGui::GetTextLineHeightWithSpacing());
    // Two columns where there is room for them.
    const float full = ImGui::GetContentRegionAvail().x;
    const int columns = full > c.px(560) ? 2 : 1;
    const float half = full / static_cast<float>(columns);
    int shown = 0;
    for (const Action& a : actions) {
        if (a.keys.empty()) {
            continue;
        }
        if (shown++ % columns == 1) {
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
    ImGui::TextDisabled("Esc closes, arrows scroll; all by name: Ctrl+K.");
}

} // namespace warptree::window
