// When a point has been sampled enough.
#pragma once

#include "app/measure/timing/results.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warptree::timing {

// A point is done when it has enough samples and time, and its noise (standard deviation / mean) is low or stable; or
// when its time limit is reached, but never without a sample.
struct StopRule {
    std::size_t min_samples = 10; // 2 or more
    double min_time = 0.5;        // seconds spent on the point, including overwriting the cache
    double time_limit = 5;        // seconds spent on the point; min_time or more
    double low_noise = 0.005;
    double steady = 0.1; // stable: noise of the first half and first three quarters within this share of that of all
    std::size_t least_for_stable = 20; // samples before noise may be called stable
};

class Sampler {
  public:
    explicit Sampler(const StopRule& rule) : rule_(rule) {}

    // Adds a sample; `spent` is its wall-clock time, seconds.
    void add(double seconds, std::uint32_t round, double spent);
    // The criterion that ends the sampling now; nullopt: go on.
    std::optional<Stop> done() const;
    // The criteria unmet at Stop::time_limit: "noise of 1.3 % neither below 0.5 % nor stable"; empty: none.
    std::string unmet() const;

    const std::vector<double>& samples() const { return samples_; }
    const std::vector<std::uint32_t>& rounds() const { return rounds_; }
    double noise() const { return noise_.empty() ? 0 : noise_.back(); }
    double spent() const { return spent_; }

  private:
    bool stable() const;

    StopRule rule_;
    std::vector<double> samples_, noise_; // noise_[k]: of the first k + 1 samples
    std::vector<std::uint32_t> rounds_;
    double spent_ = 0, mean_ = 0, squares_ = 0; // Welford's running mean and sum of squared deviations
};

} // namespace warptree::timing
