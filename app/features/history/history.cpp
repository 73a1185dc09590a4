#include "app/features/history/history.hpp"

#include "app/base/error.hpp"
#include "app/document/state_string.hpp"

namespace warptree::session {

namespace {
// The state without its position in time and in the picture.
std::string choices_of(const std::string& text) {
    try {
        StateString state = parse_state(text);
        for (const char* key : {"step", "part", "frame", "zoom", "pan"}) {
            state.values.erase(key);
        }
        return to_string(state);
    } catch (const Error&) {
        return text;
    }
}
} // namespace

void History::note(const std::string& state) {
    const bool went = going_;
    going_ = false;
    if (states_.empty()) {
        states_.push_back(state);
    } else if (state == states_[at_]) {
        return;
    } else if (went || choices_of(state) == choices_of(states_[at_])) {
        states_[at_] = state;
    } else {
        states_.resize(at_ + 1);
        states_.push_back(state);
        if (states_.size() > kMost) {
            states_.erase(states_.begin());
        }
        at_ = states_.size() - 1;
    }
}

std::optional<std::string> History::undo() {
    if (!can_undo()) {
        return std::nullopt;
    }
    going_ = true;
    return states_[--at_];
}

std::optional<std::string> History::redo() {
    if (!can_redo()) {
        return std::nullopt;
    }
    going_ = true;
    return states_[++at_];
}

} // namespace warptree::session
