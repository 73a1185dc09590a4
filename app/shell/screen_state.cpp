// State strings of the window: describing what it shows, and going to what one describes.
#include "app/features/deck/panels/page_state.hpp"
#include "app/run/kernel_path.hpp"
#include "app/shell/screen.hpp"

namespace warptree::window {

const std::map<std::string, std::string>& Screen::at_first(std::size_t page) const {
    const auto known = at_first_.find(page);
    return known != at_first_.end()
               ? known->second
               : at_first_.emplace(page, pages::page_makers()[page].make({})->values()).first->second;
}

session::StateString Screen::state() const {
    const pages::Page& page = *pages_[page_];
    return page_ == 0 ? session::state_string(session::explore_state(explore_))
                      : pages::state_of(page, at_first(page_));
}

session::StateString Screen::state_to_share() const {
    if (page_ != 0 || !explore_.on_kernel() || !explore_.file().empty()) {
        return state();
    }
    session::ExploreState now = session::explore_state(explore_);
    now.options.kernel.text = explore_.kernel()->text();
    if (packed_.first != now) {
        packed_.second = session::state_with_source(now);
        packed_.first = std::move(now);
    }
    return packed_.second ? *packed_.second : state();
}

std::string Screen::settled_state() const {
    return has_settled() ? session::to_string(state_to_share()) : std::string();
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
            const bool was_busy = explore_.runner().busy();
            explore_.runner().cancel();
            const session::KernelFile* kernel = explore_.kernel();
            const bool same = to_settle_->file.empty() && explore_.trace() && explore_.file().empty() &&
                              !explore_.on_kernel() && explore_.error.empty() &&
                              to_settle_->options == explore_.options &&
                              explore_.trace()->options.n == explore_.options.n;
            if (same && !was_busy) { // only the position differs
                shown_before_.reset();
            } else if (to_settle_->file.empty()) {
                explore_.run_strategy(to_settle_->options);
            } else if (to_settle_->carried) {
                if (kernel != nullptr && kernel->text() == *to_settle_->options.kernel.text) {
                    explore_.show_kernel();
                } else {
                    explore_.open_text(std::filesystem::path(to_settle_->file).stem().string(),
                                       *to_settle_->options.kernel.text);
                }
                explore_.call_kernel_with(to_settle_->options);
            } else if (kernel != nullptr && kernel->path() == to_settle_->file) {
                explore_.show_kernel(); // with its unsaved text
                explore_.call_kernel_with(to_settle_->options);
            } else {
                open(to_settle_->file);
                if (explore_.on_kernel() && runs::is_kernel_path(to_settle_->file)) {
                    explore_.call_kernel_with(to_settle_->options);
                }
            }
        } else {
            pages::show_state(*pages_[i], at_first(i), state);
        }
        show_page(i);
    }
    explore_.looks.theme = looks.theme.value_or(explore_.looks.theme);
    explore_.looks.scale = looks.scale.value_or(explore_.looks.scale);
}

// Finishes showing a state once its trace has arrived or failed.
void Screen::settle_state() {
    if (!to_settle_) {
        return;
    }
    if (explore_.trace() && explore_.trace() != shown_before_) {
        if (const std::string lack = session::go_to(*to_settle_, explore_); !lack.empty()) {
            notify(lack);
        }
        frames_left_ = kFramesToSettle;
    } else if (explore_.runner().busy() || dialogs_.job().busy() || !to_open_.empty()) {
        return;
    }
    to_settle_.reset();
    shown_before_.reset();
}

} // namespace warptree::window
