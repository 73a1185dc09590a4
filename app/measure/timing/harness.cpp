#include "app/measure/timing/harness.hpp"

#include "app/base/error.hpp"
#include "app/measure/timing/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace warptree::timing {

namespace {
class SteadyClock : public Clock {
  public:
    double now() const override {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }
};

// A point being measured.
struct Slot {
    Point point;
    bool settled = false; // measured, skipped, or taken from an earlier run
    bool kept = false;    // belongs in the series
    double spent = 0;     // seconds so far
};

class Run {
  public:
    Run(std::span<const Planned> plan, Device& device, const Clock& clock, const MeasureOptions& measure_options,
        const std::atomic<bool>& cancel)
        : device_(device), clock_(clock), measure_options_(measure_options), cancel_(cancel),
          where_(device.provenance()), slots_(plan.size()) {
        for (std::size_t i = 0; i < plan.size(); ++i) {
            settle_what_needs_no_device(plan[i], slots_[i]);
        }
        for (const Point& p : measure_options.already) {
            const bool planned =
                std::any_of(plan.begin(), plan.end(), [&](const Planned& q) { return q.what == p.what; });
            if (!planned) {
                others_.push_back(p);
            }
        }
        to_measure_ = static_cast<std::size_t>(
            std::count_if(slots_.begin(), slots_.end(), [](const Slot& s) { return !s.settled; }));
    }

    Outcome run() {
        start_ = clock_.now();
        try {
            for (std::size_t i = 0; i < slots_.size() && !cancel_; ++i) {
                if (!slots_[i].settled) {
                    measure_group(i);
                    keep();
                }
            }
        } catch (const DeviceError& e) {
            outcome_.failure = e.what();
        }
        outcome_.cancelled = cancel_;
        outcome_.series = series();
        return std::move(outcome_);
    }

  private:
    struct Turn {
        Slot* slot;
        std::unique_ptr<Experiment> experiment;
        Sampler sampler;
    };

    void settle_what_needs_no_device(const Planned& planned, Slot& slot) {
        Point& p = slot.point;
        p.what = planned.what;
        const auto before =
            std::find_if(measure_options_.already.begin(), measure_options_.already.end(), [&](const Point& q) {
                return q.what == planned.what && !q.samples.empty() && q.stop != Stop::cancelled;
            });
        if (before != measure_options_.already.end()) {
            p = *before;
            slot.settled = slot.kept = true;
            return;
        }
        p.bytes = planned.skipped.empty() ? device_.traffic(p.what).total() : 0;
        skip(slot, planned.skipped);
        if (!slot.settled) {
            skip(slot, device_.refusal(p.what));
        }
    }

    static void skip(Slot& slot, const std::string& why) {
        if (!why.empty()) {
            slot.point.skipped = why;
            slot.point.samples.clear();
            slot.point.rounds.clear();
            slot.point.stop = Stop::none;
            slot.point.noise = slot.point.min_time = 0;
            slot.point.remark.clear();
            slot.settled = slot.kept = true;
        }
    }

    // Measures all points that share the input of the first.
    void measure_group(std::size_t first) {
        const Configuration& lead = slots_[first].point.what;
        device_.prepare(lead.n, lead.type);
        std::vector<Turn> turns;
        for (std::size_t i = first; i < slots_.size() && !cancel_; ++i) {
            Slot& slot = slots_[i];
            if (slot.settled || slot.point.what.n != lead.n || slot.point.what.type != lead.type) {
                continue;
            }
            tell(&slot.point.what);
            std::unique_ptr<Experiment> experiment;
            try {
                experiment = device_.open(slot.point.what);
            } catch (const OptionError& e) {
                skip(slot, e.what());
                continue;
            }
            if (const std::string wrong = experiment->check(); !wrong.empty()) {
                ++outcome_.wrong;
                skip(slot, "the result is wrong, so it was not timed: " + wrong);
                continue;
            }
            slot.point.verified = true;
            for (unsigned k = 0; k < measure_options_.warm_ups; ++k) {
                experiment->sample();
            }
            turns.push_back({&slot, std::move(experiment), Sampler(measure_options_.rule)});
        }
        try {
            take_turns(turns);
        } catch (const DeviceError&) {
            finish_early(turns);
            throw;
        }
        finish_early(turns);
    }

    void take_turns(std::vector<Turn>& turns) {
        for (std::uint32_t round = 0; !cancel_; ++round) {
            bool any = false;
            for (Turn& turn : turns) {
                if (turn.slot->settled || cancel_) {
                    continue;
                }
                any = true;
                tell(&turn.slot->point.what);
                take_batch(turn, round);
            }
            if (!any) {
                return;
            }
        }
    }

    void take_batch(Turn& turn, std::uint32_t round) {
        double before = clock_.now();
        if (turn.slot->point.what.mode == Mode::warm) {
            turn.experiment->sample(); // warm up: another point ran before
        }
        for (unsigned k = 0; k < std::max(measure_options_.batch, 1U) && !cancel_; ++k) {
            const double seconds = turn.experiment->sample();
            const double now = clock_.now();
            turn.sampler.add(seconds, round, now - before);
            turn.slot->spent = turn.sampler.spent();
            before = now;
            if (const auto stop = turn.sampler.done()) {
                finish(turn, *stop);
                return;
            }
        }
    }

    // Settles the points of a group after a cancel or an error.
    void finish_early(std::vector<Turn>& turns) {
        for (Turn& turn : turns) {
            if (!turn.slot->settled && !turn.sampler.samples().empty()) {
                finish(turn, Stop::cancelled);
            }
        }
    }

    void finish(Turn& turn, Stop stop) {
        Point& p = turn.slot->point;
        p.samples = turn.sampler.samples();
        p.rounds = turn.sampler.rounds();
        p.noise = turn.sampler.noise();
        p.stop = stop;
        p.min_time = measure_options_.rule.min_time;
        if (stop == Stop::time_limit) {
            p.remark = "time limit reached: " + turn.sampler.unmet();
        }
        turn.slot->settled = turn.slot->kept = true;
        refuse_above_ceiling(*turn.slot);
    }

    void refuse_above_ceiling(Slot& slot) {
        const Point& p = slot.point;
        const double most = ceiling(p.what.mode, device_.traffic(p.what), where_);
        const double rate = static_cast<double>(p.bytes) / summarize(p.samples).median;
        if (most > 0 && rate > most) {
            skip(slot, fmt::format("{:.0f} GB/s exceeds the memory's {:.0f} GB/s, so fewer bytes moved than counted",
                                   1e-9 * rate, 1e-9 * most));
        }
    }

    void tell(const Configuration* now) {
        if (!measure_options_.progress) {
            return;
        }
        Progress p;
        p.all = slots_.size();
        double sum = 0;
        for (const Slot& s : slots_) {
            p.done += s.settled ? 1 : 0;
            sum += s.settled ? 0 : std::min(0.99, s.spent / std::max(measure_options_.rule.min_time, 1e-9));
        }
        const auto count = static_cast<double>(std::max<std::size_t>(to_measure_, 1));
        const auto settled_since =
            static_cast<double>(to_measure_) -
            static_cast<double>(std::count_if(slots_.begin(), slots_.end(), [](const Slot& s) { return !s.settled; }));
        p.fraction = std::min(1.0, (settled_since + sum) / count);
        const double spent = clock_.now() - start_;
        // Until 5 % is done, the requested time per point is more reliable than the time spent.
        p.seconds_left = p.fraction < 0.05 ? (1 - p.fraction) * count * measure_options_.rule.min_time
                                           : spent / p.fraction * (1 - p.fraction);
        p.now = now;
        measure_options_.progress(p);
    }

    void keep() {
        if (measure_options_.keep) {
            measure_options_.keep(series());
        }
    }

    Series series() const {
        Series s;
        s.name = measure_options_.name.empty() ? where_.device : measure_options_.name;
        s.provenance = where_;
        s.points = others_;
        for (const Slot& slot : slots_) {
            if (slot.kept) {
                s.points.push_back(slot.point);
            }
        }
        return s;
    }

    Device& device_;
    const Clock& clock_;
    const MeasureOptions& measure_options_;
    const std::atomic<bool>& cancel_;
    Provenance where_;
    std::vector<Slot> slots_;
    std::vector<Point> others_; // of an earlier run, not in this plan
    std::size_t to_measure_ = 0;
    double start_ = 0;
    Outcome outcome_;
};
} // namespace

const Clock& steady_clock() {
    static const SteadyClock clock;
    return clock;
}

Outcome measure(std::span<const Planned> plan, Device& device, const Clock& clock,
                const MeasureOptions& measure_options, const std::atomic<bool>& cancel) {
    return Run(plan, device, clock, measure_options, cancel).run();
}

} // namespace warptree::timing
