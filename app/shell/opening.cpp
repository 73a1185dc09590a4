// What the window shows at first and when it is told to: files, states, what an earlier run left; and what it leaves.
#include "app/shell/screen.hpp"

#include "app/base/error.hpp"
#include "app/features/widgets/state.hpp"
#include "app/run/kernel_path.hpp"
#include "kernels/cuda/backend.hpp"

#include <GLFW/glfw3.h>

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace warptree::window {

bool Screen::open_in_page(const std::string& path) {
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

session::StateString Screen::state() const {
    const pages::Page& page = *pages_[page_];
    return page_ == 0 ? session::state_string(session::explore_state(explore_))
                      : pages::state_of(page, at_first_[page_]);
}

void Screen::show_state(const std::string& text) {
    session::StateString state = session::parse_state(text);
    pages::check_state(state);
    const session::StateLooks looks = session::take_looks(state);
    for (std::size_t i = 0; i < pages_.size(); ++i) {
        if (state.screen != pages_[i]->id()) {
            continue;
        }
        if (i == 0) {
            to_settle_ = session::explore_state(state);
            shown_before_ = explore_.trace();
            explore_.runner().cancel();
            if (to_settle_->file.empty()) {
                explore_.run_strategy(to_settle_->options);
            } else {
                open(to_settle_->file);
                if (explore_.on_kernel() && runs::is_kernel_path(to_settle_->file)) {
                    explore_.call_kernel_with(to_settle_->options);
                }
            }
        } else {
            pages::show_state(*pages_[i], at_first_[i], state);
        }
        show_page(i);
    }
    explore_.looks.theme = looks.theme.value_or(explore_.looks.theme);
    explore_.looks.scale = looks.scale.value_or(explore_.looks.scale);
}

// The trace that a state asked for has come, or will not.
void Screen::settle_state() {
    if (!to_settle_) {
        return;
    }
    if (explore_.trace() && explore_.trace() != shown_before_) {
        if (const std::string lack = session::go_to(*to_settle_, explore_); !lack.empty()) {
            notify(lack);
        }
        lively_ = kLively;
    } else if (explore_.runner().busy() || dialogs_.job().busy() || !to_open_.empty()) {
        return;
    }
    to_settle_.reset();
    shown_before_.reset();
}

void Screen::start(const std::vector<std::string>& files, const std::string& state) {
    if (!state.empty()) {
        show_state(state);
    }
    for (const std::string& file : files) {
        open(file);
    }
    if (files.empty() && state.empty()) { // what an earlier run could not save
        if (const auto unsaved = session::KernelFile::unsaved_file()) {
            open(unsaved->string());
        }
    }
    opens_first_ = dialogs_.job().busy();
    if (!explore_.trace() && !opens_first_ && !explore_.runner().busy()) {
        explore_.run();
    }
    if (notice_.empty() && !cuda::usable()) {
        notify("No GPU here: kernels run in the CPU interpreter.");
    }
}

void Screen::remember(bool window_there) {
    explore_.keep_kernel_safe();
    session::Settings s{explore_.strategy_options(), explore_.looks, 0, 0, pages_[page_]->id(), {}};
    for (const auto& page : pages_) {
        if (auto values = page->values(); !values.empty()) {
            s.pages[page->id()] = std::move(values);
        }
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
