// Measures a plan on this machine's GPU on a background thread.
#pragma once

#include "app/base/background.hpp"
#include "app/measure/timing/harness.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace warptree::session {

class MeasureJob {
  public:
    using Plan = std::function<std::vector<timing::Planned>(std::uint32_t multiprocessors)>; // on the worker
    using OpenDevice = std::function<std::unique_ptr<timing::Device>()>; // called on the worker; may throw

    // `wake` is called from the worker when there is progress or an outcome.
    explicit MeasureJob(std::function<void()> wake) : wake_(std::move(wake)) {}
    ~MeasureJob(); // cancels and waits
    MeasureJob(const MeasureJob&) = delete;
    MeasureJob& operator=(const MeasureJob&) = delete;

    // Does nothing while busy. Complete points are kept if it is cancelled or fails. The series is named after the
    // device, with "(this GPU)".
    void start(Plan plan, OpenDevice device, const timing::StopRule& rule = {});
    void cancel();
    bool busy() const { return busy_; }

    struct State {
        double fraction = 0, seconds_left = 0; // of the time, 0 … 1
        std::string now;                       // what is being measured; empty: preparing
        std::size_t done = 0, all = 0;         // points
    };
    State state() const;
    // The series measured so far; returned once each time it has grown.
    std::optional<timing::Series> take();
    // How it ended, in one line; returned once: "measured 24 points", "cancelled; …", the reason for a failure.
    std::optional<std::string> take_end();

  private:
    void work(const Plan& plan, const OpenDevice& device, timing::StopRule rule);

    std::function<void()> wake_;
    std::atomic<bool> busy_{false}, cancel_{false};
    mutable std::mutex mutex_; // guards the three below
    State state_;
    std::optional<timing::Series> series_;
    std::optional<std::string> end_;
    Background thread_;
};

} // namespace warptree::session
