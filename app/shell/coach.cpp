// The coach shown over the Explore screen at the first start.
#include "app/features/coach/panels/coach_card.hpp"
#include "app/shell/screen.hpp"

namespace warptree::window {

void Screen::draw_coach(panels::Context& c) {
    if (!coach_.active() || page_ != 0 || dialogs_.current() != Dialog::none || explore_.looks.presentation) {
        return;
    }
    if (explore_.trace() && !explore_.runner().busy()) {
        coach_.look({explore_.playback.place(), explore_.selected.kind != scene::Target::Kind::none,
                     explore_.options.strategy});
    }
    if (!coach_.active()) {
        go_on_with_coach(true);
        return;
    }
    switch (panels::draw_coach(c, coach_, state_.placed(coach_.step().panel))) {
    case panels::CoachClick::none: break;
    case panels::CoachClick::next: go_on_with_coach(false); break;
    case panels::CoachClick::dismiss: go_on_with_coach(true); break;
    }
}

// Once finished or dismissed, the coach is never shown again.
void Screen::go_on_with_coach(bool dismiss) {
    dismiss ? coach_.end() : coach_.next();
    if (!coach_.active()) {
        coach_.end();
        explore_.looks.coached = true;
        remember(true);
    }
    frames_left_ = kFramesToSettle;
}

} // namespace warptree::window
