// Cancels a part of a run when its time is up, or when the whole is cancelled; where there are no threads, neither.
#pragma once

#include "app/base/background.hpp"
#include "app/base/options.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace warptree::runs {

class TimeLimit {
  public:
    TimeLimit(const RunControl& whole, std::chrono::steady_clock::time_point until);
    ~TimeLimit();
    TimeLimit(const TimeLimit&) = delete;
    TimeLimit& operator=(const TimeLimit&) = delete;

    RunControl& control() { return part_; } // of what is limited
    bool is_up() const { return up_; }

  private:
    void watch();

    const RunControl& whole_;
    std::chrono::steady_clock::time_point until_;
    RunControl part_;
    std::atomic<bool> up_{false};
    std::mutex mutex_;
    std::condition_variable changed_;
    bool ended_ = false;
    Background watcher_;
};

} // namespace warptree::runs
