#include "app/commands/progress.hpp"

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

void Progress::show(double fraction) {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || now - start_ < 300ms || now - last_ < 100ms) {
        return;
    }
    last_ = now;
    shown_ = true;
    const double spent = std::chrono::duration<double>(now - start_).count();
    const double left = fraction > 0 ? spent / fraction * (1 - fraction) : 0;
    fmt::print(stderr, "\r\x1b[K{}: {:3.0f} %, {:.0f} s left (Ctrl+C stops)", what_, 100 * fraction, left);
    std::fflush(stderr);
}

} // namespace warptree::commands
