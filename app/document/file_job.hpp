// Writes or reads one file at a time on a background thread.
#pragma once

#include "app/base/background.hpp"
#include "app/base/options.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace warptree::session {

class FileJob {
  public:
    struct Outcome {
        std::string error; // one line; empty: done, or cancelled
        bool cancelled = false;
    };

    // `wake` is called from the worker when there is progress or an outcome.
    explicit FileJob(std::function<void()> wake) : wake_(std::move(wake)) {}
    ~FileJob(); // waits until the file is complete
    FileJob(const FileJob&) = delete;
    FileJob& operator=(const FileJob&) = delete;

    // `what` describes the job; `work` throws Cancelled when its control says so. Only when no job is running.
    void start(std::string what, std::function<void(RunControl&)> work);
    void cancel();
    bool busy() const { return busy_; }
    bool lasting() const; // running long enough to show progress
    const std::string& what() const { return what_; }
    double progress() const { return progress_; } // 0 … 1
    std::optional<Outcome> take();                // returned once, when the job is over

  private:
    void work(const std::function<void(RunControl&)>& work);

    std::function<void()> wake_;
    std::string what_;
    std::chrono::steady_clock::time_point started_;
    std::unique_ptr<RunControl> control_;
    std::atomic<bool> busy_{false};
    std::atomic<double> progress_{0};
    mutable std::mutex mutex_;
    std::optional<Outcome> outcome_;
    Background thread_;
};

} // namespace warptree::session
