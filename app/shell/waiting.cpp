// When the next frame is due, and waiting for it.
#include "app/shell/screen.hpp"

#include <GLFW/glfw3.h>

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace warptree::window {

namespace {
constexpr double kFrameSeconds =
    1.0 / 61; // minimum time between frames; a display's own interval may be a little longer
} // namespace

void Screen::wake() {
    woken_ = true;
    glfwPostEmptyEvent();
}

bool Screen::moves() const {
    const bool held = ImGui::IsMouseDown(ImGuiMouseButton_Left) && ImGui::IsAnyItemActive(); // a held button repeats
    return explore_.playback.moves() || explore_.flying || pages_[page_]->moving() || ripples_ || held ||
           frames_left_ > 0;
}

double Screen::spare() const {
    constexpr double kLeast = 0.001;
    if (dialogs_.job().busy() || search_.busy() || explore_.runner().busy()) {
        return 0.1;
    }
    if (const auto due = explore_.due()) {
        return std::max(kLeast, *due - clock_.now());
    }
    if (rest_due_) {
        return std::max(kLeast, *rest_due_ - clock_.now());
    }
    if (notice_until_ > clock_.now()) {
        return notice_until_ - clock_.now();
    }
    constexpr double kBlink = 0.5; // of a text field's cursor
    return ImGui::GetIO().WantTextInput ? kBlink : std::numeric_limits<double>::infinity();
}

void Screen::wait() {
    if (clock_.told()) {
        if (!input_.waiting() && frames_left_ == 0 && !clock_.behind()) {
            glfwWaitEventsTimeout(0.01); // a new time does not arrive as an event
        }
        clock_.tick();
        glfwPollEvents();
    } else if (input_.waiting()) {
        glfwPollEvents();
    } else if (moves()) {
        glfwPollEvents();
        for (double left = last_ + kFrameSeconds - clock_.now(); left > 0;
             left = last_ + kFrameSeconds - clock_.now()) {
            glfwWaitEventsTimeout(left);
        }
    } else if (const double seconds = spare(); std::isfinite(seconds)) {
        glfwWaitEventsTimeout(seconds);
    } else {
        glfwWaitEvents();
    }
}

bool Screen::is_due() { return woken_.exchange(false) || input_.waiting() || moves() || clock_.now() >= next_due_; }

bool Screen::frame_if_due() {
    if (!is_due()) {
        return false;
    }
    show();
    next_due_ = clock_.now() + spare();
    return true;
}

} // namespace warptree::window
