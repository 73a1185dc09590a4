// The dialogs for files: choosing one, and reading or writing it off the drawing thread.
#include "app/shell/dialogs.hpp"

#include "app/base/error.hpp"
#include "app/features/explore/explore.hpp"
#include "app/features/widgets/focus.hpp"
#include "app/render/cairo/cairo_picture.hpp"
#include "app/run/kernel_path.hpp"
#include "app/trace/io/file.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

namespace warptree::window {

namespace {
std::filesystem::path directory_of(const char* text) {
    std::filesystem::path path(text);
    std::error_code none;
    if (std::filesystem::is_directory(path, none)) {
        return path;
    }
    return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}
} // namespace

std::string opened_notice(const session::Explore& e, const std::string& path) {
    return e.on_kernel() && e.kernel()->recovered() ? path + ": unsaved text restored" : "opened " + path;
}

void Dialogs::draw_path(panels::Context& c, const pages::Page& page, std::string& notice) {
    if (current_ == Dialog::export_picture) {
        draw_export(c, page);
    }
    if (opened_) {
        panels::focus_next_item();
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
    const bool again = !overwrites_.empty() && overwrites_ == text_.data();
    const char* verb = current_ == Dialog::open   ? "Open"
                       : again                    ? "Overwrite"
                       : current_ == Dialog::save ? "Save"
                                                  : "Export";
    if (ImGui::Button(verb) || std::exchange(enter_, false)) {
        accept(c.explore, page, notice);
    }
    ImGui::SameLine();
    if (ImGui::Button("Cancel")) {
        close();
    }
}

// Lists the openable files and directories where the path points; the arrow keys choose one.
void Dialogs::draw_files(panels::Context& c) {
    if (listed_ != text_.data()) {
        listed_ = text_.data();
        choice_ = -1;
        std::error_code error;
        files_.assign(1, "..");
        for (const auto& entry : std::filesystem::directory_iterator(directory_of(text_.data()), error)) {
            if (entry.is_directory(error)) {
                files_.push_back(entry.path().filename().string() + "/");
            } else if (runs::is_kernel_path(entry.path().string()) || entry.path().extension() == ".wtrace" ||
                       entry.path().extension() == ".json" || entry.path().extension() == ".lesson" ||
                       entry.path().extension() == ".deck") {
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

namespace {
// Whether a file exists there that is not the kernel file on screen.
bool is_of_another(const session::Explore& e, const std::string& path) {
    std::error_code error;
    return std::filesystem::exists(path, error) &&
           !(e.on_kernel() && std::filesystem::equivalent(path, e.kernel()->path(), error));
}
} // namespace

void Dialogs::accept(session::Explore& e, const pages::Page& page, std::string& notice) {
    const std::string path = text_.data();
    if (path.empty()) {
        error_ = "enter a file name";
        return;
    }
    try {
        const std::filesystem::path directory = std::filesystem::path(path).parent_path();
        if (current_ != Dialog::open && !directory.empty() && !std::filesystem::is_directory(directory)) {
            throw FileError(fmt::format("there is no directory {}; name one that exists", directory.string()));
        }
        if (current_ == Dialog::save && overwrites_ != path && is_of_another(e, path)) {
            overwrites_ = path;
            throw FileError(path + " exists already; Enter again overwrites it, another name keeps it");
        }
        if (current_ == Dialog::open) {
            if (open_elsewhere && open_elsewhere(path)) {
                notice = "opened " + path;
            } else if (open(e, path)) {
                notice = opened_notice(e, path);
            }
        } else if (current_ == Dialog::export_picture) {
            write_export(e, page, path, notice);
        } else if (current_ == Dialog::export_screen) {
            render::write_pixels(screen.rgba, screen.width, screen.height, path);
            screen = {};
            notice = "exported " + path;
        } else if (current_ == Dialog::export_deck) {
            if (std::filesystem::path(path).extension() != ".pdf") {
                throw OptionError(path + ": pages are written as a PDF; take a name that ends in .pdf");
            }
            start(path, "exporting", [write = write_deck, path](RunControl& control) { write(path, control); });
        } else {
            save(e, path);
        }
        close();
    } catch (const std::exception& failure) { // the dialog stays open with the reason
        error_ = failure.what();
    }
}

void Dialogs::save(session::Explore& e, const std::string& path) {
    if (runs::is_kernel_path(path)) {
        if (!e.on_kernel()) {
            throw FileError("there is no kernel file on screen; a trace is saved as .wtrace");
        }
        e.save_kernel_as(path);
        return;
    }
    if (!e.trace()) {
        throw FileError("there is no trace yet");
    }
    start(path, "saving", [trace = e.trace(), path](RunControl& control) { warptree::save(*trace, path, &control); });
}

// Checks what can be checked at once; the rest happens on another thread.
void Dialogs::start(const std::string& path, const std::string& doing, std::function<void(RunControl&)> work) {
    if (job_.busy()) {
        throw FileError("still " + job_.what() + "; wait for it, or cancel it with Esc");
    }
    if (std::filesystem::is_directory(path)) {
        throw FileError(path + ": is a directory; enter a file name");
    }
    job_wrote_.clear();
    job_.start(doing + " " + path, std::move(work));
    asked_ = true;
    job_for_ = current_;
    job_path_ = path;
}

bool Dialogs::open(session::Explore& e, const std::string& path) {
    if (runs::is_kernel_path(path)) {
        e.open_kernel(path);
        return true;
    }
    constexpr std::uintmax_t kSmall = 256 * 1024; // bytes on disk: read and checked within a few frames
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error || size <= kSmall) {
        e.open(path); // throws with the reason
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
        notice = !outcome->cancelled ? (job_for_ == Dialog::save ? "saved " : "exported ") +
                                           (job_wrote_.empty() ? job_path_ : job_wrote_)
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

} // namespace warptree::window
