#include "app/features/theory/rounding_job.hpp"

#include <exception>
#include <utility>

namespace warptree::session {

RoundingJob::~RoundingJob() { end(); }

void RoundingJob::end() {
    if (control_) {
        control_->cancel = true;
    }
    if (thread_.joinable()) {
        thread_.join();
    }
    control_.reset();
    busy_ = false;
}

void RoundingJob::want(const runs::RoundingOptions& options) {
    if (wanted_ == options) {
        return;
    }
    end();
    poll(); // takes the outcome of the old one
    wanted_ = options;
    error_.clear();
    progress_ = 0;
    busy_ = true;
    control_ = std::make_shared<RunControl>();
    control_->progress = [this](double part) {
        progress_ = part;
        wake_();
    };
    thread_ = Background([this, options, control = control_] {
        std::shared_ptr<const runs::RoundingTable> made;
        std::string failed;
        try {
            made = std::make_shared<const runs::RoundingTable>(runs::rounding(options, *control));
        } catch (const std::exception& e) {
            failed = e.what();
        }
        {
            const std::lock_guard lock(mutex_);
            made_ = std::move(made);
            failed_ = std::move(failed);
        }
        ended_ = true;
        wake_();
    });
}

void RoundingJob::cancel() {
    if (control_) {
        control_->cancel = true;
    }
}

bool RoundingJob::poll() {
    if (!ended_.exchange(false)) {
        return false;
    }
    const std::lock_guard lock(mutex_);
    table_ = made_ ? std::exchange(made_, nullptr) : table_;
    error_ = std::exchange(failed_, {});
    busy_ = false;
    return true;
}

std::shared_ptr<const runs::RoundingTable> RoundingJob::table(const runs::RoundingOptions& options) const {
    return table_ && table_->options == options ? table_ : nullptr;
}

} // namespace warptree::session
