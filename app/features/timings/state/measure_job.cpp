#include "app/features/timings/state/measure_job.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <exception>
#include <utility>

namespace warptree::session {

MeasureJob::~MeasureJob() {
    cancel_ = true;
    if (thread_.joinable()) {
        thread_.join();
    }
}

void MeasureJob::start(Plan plan, OpenDevice device, const timing::StopRule& rule) {
    if (busy_) {
        return;
    }
    if (thread_.joinable()) {
        thread_.join();
    }
    {
        const std::lock_guard lock(mutex_);
        state_ = {};
        series_.reset();
        end_.reset();
    }
    cancel_ = false;
    busy_ = true;
    try {
        thread_ = Background([this, plan = std::move(plan), device = std::move(device), rule] {
            work(plan, device, rule);
            busy_ = false;
            wake_();
        });
    } catch (...) {
        busy_ = false;
        throw;
    }
}

void MeasureJob::work(const Plan& planned, const OpenDevice& open, timing::StopRule rule) {
    std::string end;
    try {
        const std::unique_ptr<timing::Device> device = open();
        const timing::Provenance here = device->provenance();
        const std::string date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
        const auto show = [&](timing::Series series) {
            series.provenance.date = date;
            const std::lock_guard lock(mutex_);
            series_ = std::move(series);
        };
        timing::MeasureOptions measure_options;
        measure_options.rule = rule;
        measure_options.name = here.device + " (this GPU)";
        measure_options.progress = [&](const timing::Progress& p) {
            {
                const std::lock_guard lock(mutex_);
                state_ = {p.fraction, p.seconds_left,
                          p.now == nullptr ? "" : fmt::format("{}, n = {}", p.now->variant, p.now->n), p.done, p.all};
            }
            wake_();
        };
        measure_options.keep = [&](const timing::Series& series) {
            show(series);
            wake_();
        };
        const auto plan = planned(static_cast<std::uint32_t>(here.multiprocessors));
        timing::Outcome outcome = timing::measure(plan, *device, timing::steady_clock(), measure_options, cancel_);
        const std::size_t points = outcome.series.points.size();
        show(std::move(outcome.series));
        end = !outcome.failure.empty() ? outcome.failure + "; what was measured before is kept"
              : outcome.cancelled      ? fmt::format("cancelled; {} points are kept", points)
              : outcome.wrong > 0
                  ? fmt::format("measured {} points; {} had a wrong result and were not timed", points, outcome.wrong)
                  : fmt::format("measured {} points", points);
    } catch (const std::exception& e) {
        end = e.what();
    }
    const std::lock_guard lock(mutex_);
    end_ = std::move(end);
}

void MeasureJob::cancel() { cancel_ = true; }

MeasureJob::State MeasureJob::state() const {
    const std::lock_guard lock(mutex_);
    return state_;
}

std::optional<timing::Series> MeasureJob::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(series_, std::nullopt);
}

std::optional<std::string> MeasureJob::take_end() {
    const std::lock_guard lock(mutex_);
    return std::exchange(end_, std::nullopt);
}

} // namespace warptree::session
