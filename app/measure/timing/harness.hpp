// Measures a plan. The rules of a fair measurement are here, on the host; a Device only runs experiments.
#pragma once

#include "app/base/options.hpp"
#include "app/measure/timing/plan.hpp"
#include "app/measure/timing/sampler.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace warptree::timing {

// One configuration on a device, ready to run.
class Experiment {
  public:
    virtual ~Experiment() = default;
    // Runs it once and compares the result with a reference. Empty if it is right, else what is wrong.
    virtual std::string check() = 0;
    // Seconds of one run. Flushes the cache first in cold mode; in warm mode the caller warms it up with another run.
    virtual double sample() = 0;
};

class Device {
  public:
    virtual ~Device() = default;
    virtual Provenance provenance() const = 0;
    // Why it cannot run this (not compiled, no memory); empty if it can.
    virtual std::string refusal(const Configuration& what) const = 0;
    // The bytes that must move.
    virtual Traffic traffic(const Configuration& what) const { return timing::traffic(what); }
    // Prepares for the input of all following experiments; discards earlier inputs.
    virtual void prepare(std::uint64_t n, ElementType type) = 0;
    // Throws OptionError for problems that show up only here; the point is then skipped.
    virtual std::unique_ptr<Experiment> open(const Configuration& what) = 0;
};

class Clock {
  public:
    virtual ~Clock() = default;
    virtual double now() const = 0; // seconds, never decreasing
};
const Clock& steady_clock();

struct Progress {
    std::size_t done = 0, all = 0; // points
    double fraction = 0;           // of the time, 0 … 1
    double seconds_left = 0;       // estimated
    const Configuration* now = nullptr;
};

struct MeasureOptions {
    StopRule rule;
    unsigned warm_ups = 3;                         // runs of each point before its first sample
    unsigned batch = 5;                            // samples that a point takes in a round, at most
    std::string name;                              // of the series; empty: the device's
    std::vector<Point> already;                    // of an earlier run of this series: kept, remeasured if incomplete
    std::function<void(const Progress&)> progress; // may be empty
    std::function<void(const Series&)> keep;       // whenever points are complete; may be empty
};

struct Outcome {
    Series series; // points of `already` not in the plan, then the plan's in order, without those a cancel left out
    std::size_t wrong = 0; // points with a wrong result, which are not timed
    bool cancelled = false;
    std::string failure; // the device's error that ended the run early; empty: none did
};

// Points of equal n and type share their input and are sampled in turns, round by round, so that drifting clocks or
// temperature affect all alike. Each is checked first; one with a wrong result is not timed. A rate above its ceiling
// is rejected, with the reason. Cancelling keeps what was measured (Stop::cancelled).
Outcome measure(std::span<const Planned> plan, Device& device, const Clock& clock,
                const MeasureOptions& measure_options, const std::atomic<bool>& cancel);

} // namespace warptree::timing
