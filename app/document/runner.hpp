// Makes traces on a background thread; the latest request wins.
#pragma once

#include "app/base/options.hpp"
#include "app/compile/program.hpp"
#include "app/trace/model/trace.hpp"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace warptree::session {

struct RunOutcome {
    std::shared_ptr<const Trace> trace;           // null: failed
    std::string error;                            // one line
    std::vector<compile::Diagnostic> diagnostics; // of a kernel file that does not compile
};

class Runner {
  public:
    // `wake` is called from the worker when there is progress or an outcome.
    explicit Runner(std::function<void()> wake);
    ~Runner(); // cancels and waits
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    void request(const RunOptions& options);      // drops the outcome of an earlier request
    void cancel();                                // likewise
    bool busy() const;                            // until the outcome of the latest request has been taken
    double progress() const { return progress_; } // 0 … 1
    std::optional<RunOutcome> take();             // the latest outcome, returned once

  private:
    void work();

    std::function<void()> wake_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<RunOptions> next_;
    std::optional<RunOutcome> outcome_;
    std::shared_ptr<RunControl> running_;
    bool stop_ = false;
    std::atomic<double> progress_{0};
    std::thread thread_;
};

} // namespace warptree::session
