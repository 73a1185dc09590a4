#include "app/run/time_limit.hpp"

#include <algorithm>

namespace warptree::runs {

TimeLimit::TimeLimit(const RunControl& whole, std::chrono::steady_clock::time_point until)
    : whole_(whole), until_(until) {
    if (has_threads()) {
        watcher_ = Background([this] { watch(); });
    }
}

TimeLimit::~TimeLimit() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    changed_.notify_one();
    if (watcher_.joinable()) {
        watcher_.join();
    }
}

void TimeLimit::watch() {
    constexpr std::chrono::milliseconds kTurn{50}; // how late the whole's end is noticed
    std::unique_lock lock(mutex_);
    while (!ended_ && !part_.cancel) {
        const auto now = std::chrono::steady_clock::now();
        up_ = now >= until_;
        if (up_ || whole_.cancel) {
            part_.cancel = true;
            return;
        }
        changed_.wait_until(lock, std::min(until_, now + kTurn));
    }
}

} // namespace warptree::runs
