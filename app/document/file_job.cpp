#include "app/document/file_job.hpp"

#include "app/base/error.hpp"

#include <exception>
#include <utility>

namespace warptree::session {

FileJob::~FileJob() {
    if (thread_.joinable()) {
        thread_.join();
    }
}

void FileJob::start(std::string what, std::function<void(RunControl&)> work) {
    if (busy_) {
        throw OptionError("still " + what_);
    }
    if (thread_.joinable()) {
        thread_.join();
    }
    what_ = std::move(what);
    started_ = std::chrono::steady_clock::now();
    control_ = std::make_unique<RunControl>();
    control_->progress = [this](double fraction) {
        if (fraction - progress_ > 0.01) {
            progress_ = fraction;
            wake_();
        }
    };
    progress_ = 0;
    outcome_.reset();
    busy_ = true;
    try {
        thread_ = Background([this, work = std::move(work)] { this->work(work); });
    } catch (...) {
        busy_ = false;
        throw;
    }
}

void FileJob::work(const std::function<void(RunControl&)>& work) {
    Outcome outcome;
    try {
        work(*control_);
    } catch (const Cancelled&) {
        outcome.cancelled = true;
    } catch (const std::bad_alloc&) {
        outcome.error = "out of memory";
    } catch (const std::exception& e) {
        outcome.error = e.what();
    }
    {
        const std::lock_guard lock(mutex_);
        outcome_ = std::move(outcome);
    }
    busy_ = false;
    wake_();
}

void FileJob::cancel() {
    if (busy_) {
        control_->cancel = true;
    }
}

bool FileJob::lasting() const {
    return busy_ && std::chrono::steady_clock::now() - started_ > std::chrono::milliseconds(250);
}

std::optional<FileJob::Outcome> FileJob::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(outcome_, std::nullopt);
}

} // namespace warptree::session
