// Opening files, restoring unsaved text of an earlier run, and saving settings and unsaved text at the end.
#include "app/shell/screen.hpp"

#include "app/base/error.hpp"
#include "app/document/opened_files.hpp"
#include "app/gpu/driver.hpp"

#include <GLFW/glfw3.h>

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace warptree::window {

bool Screen::open_in_page(const std::string& path) {
    if (session::is_deck_path(path)) {
        open_deck(path);
        return true;
    }
    for (std::size_t i = 0; i < pages_.size(); ++i) {
        if (pages_[i]->open(path)) {
            show_page(i);
            return true;
        }
    }
    return false;
}

void Screen::open(const std::string& path) {
    try {
        if (open_in_page(path)) {
            notify("opened " + path);
        } else if (dialogs_.job().busy()) {
            to_open_.push_back(path);
        } else if (dialogs_.open(explore_, path)) {
            show_page(0);
            notify(opened_notice(explore_, path));
        }
    } catch (const FileError& e) {
        notify(e.what());
    }
}

void Screen::start(const std::vector<std::string>& files, const std::string& state) {
    if (!state.empty()) {
        show_state(state);
    }
    for (const std::string& file : files) {
        open(file);
    }
    if (files.empty() && state.empty()) { // unsaved text of an earlier run
        if (const auto unsaved = session::KernelFile::unsaved_file()) {
            open(unsaved->string());
        }
    }
    opens_first_ = dialogs_.job().busy();
    if (!explore_.trace() && !opens_first_ && !explore_.runner().busy()) {
        explore_.first_sight = true;
        explore_.run();
    }
    if (files.empty() && state.empty() && !explore_.looks.coached) {
        coach_.begin();
    }
    if (notice_.empty() && !gpu::usable()) {
        notify("No GPU here: kernels run in the CPU interpreter.");
    }
}

void Screen::remember(bool window_there) {
    explore_.keep_kernel_safe();
    session::Settings s{explore_.strategy_options(), explore_.looks, 0, 0, pages_[page_]->id(), {}, {}};
    for (const auto& page : pages_) {
        if (auto values = page->remembered(); !values.empty()) {
            s.pages[page->id()] = std::move(values);
        }
    }
    for (const std::filesystem::path& file : session::recent_files()) {
        std::error_code error;
        s.files.push_back(std::filesystem::absolute(file, error));
    }
    s.options.input = s.options.input == InputKind::file ? InputKind::iota : s.options.input;
    s.looks.loop = explore_.playback.loop;
    s.looks.speed = explore_.playback.speed();
    s.width = shown_size_[0];
    s.height = shown_size_[1];
    if (window_there) {
        glfwGetWindowSize(window_, &s.width, &s.height);
    }
    if (s.looks.presentation) {
        s.looks.scale = restore_scale_;
        s.width = restore_[2];
        s.height = restore_[3];
    }
    try {
        session::save_settings(session::settings_path(), s);
    } catch (const std::exception& e) {
        fmt::print(stderr, "warptree: {}\n", e.what());
    }
}

} // namespace warptree::window
