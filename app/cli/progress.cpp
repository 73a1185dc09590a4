#include "app/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace warptree::commands {

using namespace std::chrono_literals;

Progress::Progress(std::string what)
    : what_(std::move(what)), terminal_(isatty(STDERR_FILENO) != 0), start_(std::chrono::steady_clock::now()),
      last_(start_) {}

Progress::~Progress() {
    if (shown_) {
        fmt::print(stderr, "\r\x1b[K");
        std::fflush(stderr);
    }
}

// Whether enough time has passed to redraw the line.
bool Progress::due() {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || now - start_ < 300ms || now - last_ < 100ms) {
        return false;
    }
    last_ = now;
    shown_ = true;
    return true;
}

void Progress::show(double fraction) {
    if (!due()) {
        return;
    }
    const double spent = std::chrono::duration<double>(last_ - start_).count();
    const double left = fraction > 0 ? spent / fraction * (1 - fraction) : 0;
    fmt::print(stderr, "\r\x1b[K{}: {:3.0f} %, {:.0f} s left (Ctrl+C stops)", what_, 100 * fraction, left);
    std::fflush(stderr);
}

void Progress::show(double fraction, double seconds_left, const std::string& done) {
    if (due()) {
        fmt::print(stderr, "\r\x1b[K{}: {:3.0f} %, {}, {:.0f} s left (Ctrl+C keeps what is there)", what_,
                   100 * fraction, done, seconds_left);
        std::fflush(stderr);
    }
}

} // namespace warptree::commands
