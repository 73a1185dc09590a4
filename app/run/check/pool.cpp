#include "app/run/check/pool.hpp"

#include "app/base/error.hpp"
#include "app/run/check/process.hpp"
#include "app/simt/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include <poll.h>

namespace warptree::runs {

namespace {
using Clock = std::chrono::steady_clock;
constexpr int kTick = 50;     // milliseconds between two looks at control.cancel
constexpr int kStartTick = 2; // and at a compiler that starts

// A worker of the compiler, kept from submission to submission, and the submission that has it now.
struct Seat {
    compile::Compiler compiler;
    std::optional<CheckProcess> process;
    std::size_t file = 0;
    Clock::time_point heard; // when it last said anything
};

class Pool {
  public:
    Pool(const CheckRequest& request, const std::vector<std::string>& files, unsigned jobs, RunControl& control,
         const CheckListener& listener)
        : request_(request), files_(files), control_(control), listener_(listener), results_(files.size()),
          done_(files.size()) {
        const unsigned cores = simt::default_workers();
        const auto seats = std::min<std::size_t>(jobs == 0 ? cores : jobs, files.size());
        request_.options.workers = std::max(1U, cores / static_cast<unsigned>(std::max<std::size_t>(seats, 1)));
        for (std::size_t i = 0; i < seats; ++i) {
            seats_.push_back(std::make_unique<Seat>());
            seats_.back()->compiler.warm_up();
        }
        for (std::size_t i = 0; i < files.size(); ++i) {
            results_[i].file = files[i];
        }
    }

    std::vector<CheckResult> run() {
        while (told_ < files_.size() && !control_.cancel) {
            for (const auto& seat : seats_) {
                while (!seat->process && next_ < files_.size() && begin(*seat, next_)) {
                    ++next_;
                }
            }
            wait();
            tell();
        }
        if (told_ < files_.size()) {
            stop();
        }
        return std::move(results_);
    }

  private:
    // False: its compiler is not ready yet.
    bool begin(Seat& seat, std::size_t file) {
        request_.options.kernel.file = files_[file];
        request_.options.strategy = std::filesystem::path(files_[file]).filename().string();
        seat.file = file;
        seat.heard = Clock::now();
        try {
            if (!seat.compiler.make_ready()) {
                return false;
            }
            seat.process.emplace(request_, seat.compiler);
        } catch (const compile::CompileError& error) {
            results_[file].pass = false;
            results_[file].reason = error.what();
            done_[file] = true;
        }
        return true;
    }

    void wait() {
        std::vector<pollfd> pipes;
        for (const auto& seat : seats_) {
            pipes.push_back({seat->process ? seat->process->pipe() : -1, POLLIN, 0});
        }
        const int most = next_ < files_.size() && any_free() ? kStartTick : kTick;
        if (poll(pipes.data(), pipes.size(), most) < 0 && errno != EINTR) {
            throw Error(fmt::format("cannot wait for submissions: {}", std::strerror(errno)));
        }
        for (std::size_t i = 0; i < seats_.size(); ++i) {
            if (seats_[i]->process) {
                look_at(*seats_[i], pipes[i].revents != 0);
            }
        }
    }
    bool any_free() const {
        return std::ranges::any_of(seats_, [](const auto& seat) { return !seat->process; });
    }

    void look_at(Seat& seat, bool speaks) {
        bool goes_on = true;
        if (speaks) {
            goes_on = seat.process->hear();
            seat.heard = Clock::now();
        } else if (Clock::now() - seat.heard > patience()) {
            seat.process->end("it was silent for too long and was stopped");
            goes_on = false;
        }
        results_[seat.file] = seat.process->result();
        if (!goes_on) {
            if (!seat.process->compiler_is_ready()) {
                seat.compiler.discard();
            }
            seat.process.reset();
            done_[seat.file] = true;
        }
    }
    // A run ends itself at its limit of processor time, which on a busy machine takes far longer, and tells; this is for
    // when it does not.
    std::chrono::milliseconds patience() const { return 30 * request_.limit + std::chrono::minutes(10); }

    void tell() {
        for (; told_ < files_.size(); ++told_, runs_told_ = 0) {
            const CheckResult& result = results_[told_];
            for (; runs_told_ < result.runs.size(); ++runs_told_) {
                if (listener_.run) {
                    listener_.run(files_[told_], result.runs[runs_told_]);
                }
            }
            if (!done_[told_]) {
                return;
            }
            if (listener_.done) {
                listener_.done(result);
            }
        }
    }

    void stop() {
        for (const auto& seat : seats_) {
            if (seat->process) {
                seat->process->abandon();
                seat->process.reset();
            }
        }
        for (std::size_t i = 0; i < files_.size(); ++i) {
            if (!done_[i]) {
                results_[i].pass = false;
                results_[i].reason = "stopped before it was done";
                done_[i] = true;
            }
        }
        tell();
    }

    CheckRequest request_;
    const std::vector<std::string>& files_;
    RunControl& control_;
    const CheckListener& listener_;
    std::vector<std::unique_ptr<Seat>> seats_;
    std::vector<CheckResult> results_;
    std::vector<bool> done_;
    std::size_t next_ = 0, told_ = 0, runs_told_ = 0; // of files; of files; of runs of the file that is told
};
} // namespace

std::vector<CheckResult> check_all(const CheckRequest& request, const std::vector<std::string>& files, unsigned jobs,
                                   RunControl& control, const CheckListener& listener) {
    return Pool(request, files, jobs, control, listener).run();
}

} // namespace warptree::runs
