#include "app/document/runner.hpp"

#include "app/base/error.hpp"
#include "app/run/kernel_source.hpp"
#include "app/run/program/run.hpp"
#include "app/run/run.hpp"

#include <exception>
#include <utility>

namespace warptree::session {

Runner::Runner(std::function<void()> wake) : wake_(std::move(wake)) {}

Runner::~Runner() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
        if (running_) {
            running_->cancel = true;
        }
    }
    changed_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Runner::request(const RunOptions& options, std::optional<AsShown> shown) {
    {
        const std::lock_guard lock(mutex_);
        next_ = options;
        next_shown_ = shown;
        asked_ = std::chrono::steady_clock::now();
        outcome_.reset();
        if (running_) {
            running_->cancel = true;
        }
    }
    if (!has_threads()) {
        wake_();
    } else if (!thread_.joinable()) {
        thread_ = Background([this] { work(); });
    } else {
        changed_.notify_all();
    }
}

void Runner::cancel() {
    const std::lock_guard lock(mutex_);
    next_.reset();
    outcome_.reset();
    if (running_) {
        running_->cancel = true;
    }
}

bool Runner::busy() const {
    const std::lock_guard lock(mutex_);
    return running_ != nullptr || next_.has_value() || outcome_.has_value();
}

bool Runner::lasting() const {
    const std::lock_guard lock(mutex_);
    return (running_ != nullptr || next_) && std::chrono::steady_clock::now() - asked_ > std::chrono::milliseconds(300);
}

std::optional<RunOutcome> Runner::take() {
    std::unique_lock lock(mutex_);
    if (!has_threads() && next_) {
        run_next(lock);
    }
    return std::exchange(outcome_, std::nullopt);
}

void Runner::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return stop_ || next_; });
        if (stop_) {
            return;
        }
        run_next(lock);
    }
}

void Runner::run_next(std::unique_lock<std::mutex>& lock) {
    const RunOptions options = *std::exchange(next_, std::nullopt);
    const std::optional<AsShown> shown = next_shown_;
    const auto control = std::make_shared<RunControl>();
    control->progress = [this](double fraction) {
        if (fraction - progress_ > 0.01) {
            progress_ = fraction;
            wake_();
        }
    };
    control->seen = [this, &control = *control](const Trace& trace) {
        RunOutcome early;
        early.trace = std::make_shared<const Trace>(trace);
        early.tries = true;
        {
            const std::lock_guard own(mutex_);
            if (next_ || control.cancel) {
                return;
            }
            outcome_ = std::move(early);
        }
        wake_();
    };
    if (!has_threads()) { // nobody can look meanwhile
        control->seen = nullptr;
    }
    running_ = control;
    progress_ = 0;
    lock.unlock();
    std::optional<RunOutcome> outcome = RunOutcome{};
    try {
        if (shown) {
            outcome->guess = shown->guess;
            outcome->trace =
                std::make_shared<const Trace>(runs::run_shown(options, shown->was_program, outcome->guess, *control));
        } else {
            outcome->trace = std::make_shared<const Trace>(runs::run_any(options, *control));
        }
    } catch (const Cancelled&) {
        outcome.reset();
    } catch (const runs::SourceError& e) {
        outcome->error = e.what();
        outcome->diagnostics = e.diagnostics;
    } catch (const std::bad_alloc&) {
        outcome->error = "out of memory; take fewer elements or a smaller window";
    } catch (const std::exception& e) {
        outcome->error = e.what();
    }
    lock.lock();
    running_.reset();
    if (outcome && !next_ && !control->cancel) {
        outcome_ = std::move(outcome);
    }
    lock.unlock();
    wake_();
    lock.lock();
}

} // namespace warptree::session
