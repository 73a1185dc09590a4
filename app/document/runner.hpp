// Makes traces on a background thread; the latest request wins. Where there are no threads, take() makes them.
#pragma once

#include "app/base/background.hpp"
#include "app/base/options.hpp"
#include "app/compile/program/program.hpp"
#include "app/run/kernel_run.hpp"
#include "app/trace/model/trace.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace warptree::session {

struct RunOutcome {
    std::shared_ptr<const Trace> trace;           // null: failed
    std::string error;                            // one line
    std::vector<compile::Diagnostic> diagnostics; // of a kernel file that does not compile
    std::optional<runs::Guess> guess;             // as made or kept, for the next text of the file
    bool tries = false;                           // other launches are still tried; the whole outcome follows
};

class Runner {
  public:
    // `wake` is called from the worker when there is progress or an outcome.
    explicit Runner(std::function<void()> wake);
    ~Runner(); // cancels and waits
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    // Drops the outcome of an earlier request. `shown`: a file that says itself how its kernels are called is run so;
    // was_program as for runs::run_shown().
    struct AsShown {
        bool was_program = false;
        std::optional<runs::Guess> guess; // how a kernel is called where nobody says it; empty: to be made
    };
    void request(const RunOptions& options, std::optional<AsShown> shown = {});
    void cancel();                                // likewise
    bool busy() const;                            // until the outcome of the latest request has been taken
    bool lasting() const;                         // running long enough to be shown
    double progress() const { return progress_; } // 0 … 1; stays 0 where it is not known
    std::optional<RunOutcome> take(); // the latest outcome, returned once; of a long run first without tries

  private:
    void work();
    void run_next(std::unique_lock<std::mutex>& lock); // which is held before and after

    std::function<void()> wake_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<RunOptions> next_;
    std::optional<AsShown> next_shown_; // of next_
    std::optional<RunOutcome> outcome_;
    std::shared_ptr<RunControl> running_;
    bool stop_ = false;
    std::atomic<double> progress_{0};
    std::chrono::steady_clock::time_point asked_; // when the latest request was made
    Background thread_;
};

} // namespace warptree::session
