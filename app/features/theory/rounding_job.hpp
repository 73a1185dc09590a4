// Computes a table of rounding errors on a background thread.
#pragma once

#include "app/base/background.hpp"
#include "app/run/judge/rounding.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace warptree::session {

class RoundingJob {
  public:
    // `wake` is called from the worker when there is progress or an outcome.
    explicit RoundingJob(std::function<void()> wake) : wake_(std::move(wake)) {}
    ~RoundingJob(); // cancels and waits
    RoundingJob(const RoundingJob&) = delete;
    RoundingJob& operator=(const RoundingJob&) = delete;

    // Starts, unless the table for these options is ready, being computed, or was cancelled or failed.
    void want(const runs::RoundingOptions& options);
    void cancel(); // the computation; not started again until other options are wanted
    bool busy() const { return busy_; }
    double progress() const { return progress_; } // 0 … 1
    bool poll();                                  // takes a finished outcome; true when there was one
    // For these options; null if there is none.
    std::shared_ptr<const runs::RoundingTable> table(const runs::RoundingOptions& options) const;
    const std::string& error() const { return error_; } // why the last one ended without a table

  private:
    void end();

    std::function<void()> wake_;
    std::optional<runs::RoundingOptions> wanted_;
    std::shared_ptr<const runs::RoundingTable> table_;
    std::string error_;
    std::shared_ptr<RunControl> control_;
    Background thread_;
    std::atomic<bool> busy_{false}, ended_{false};
    std::atomic<double> progress_{0};
    std::mutex mutex_; // guards the two below
    std::shared_ptr<const runs::RoundingTable> made_;
    std::string failed_;
};

} // namespace warptree::session
