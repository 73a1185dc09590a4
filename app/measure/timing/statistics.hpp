// Statistics of samples: location, spread, and how well the median is known.
#pragma once

#include "app/measure/timing/results.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace warptree::timing {

struct Interval {
    double low = 0, high = 0;
    friend bool operator==(const Interval&, const Interval&) = default;
};

struct Summary {
    std::size_t count = 0;
    double minimum = 0, lower_quartile = 0, median = 0, upper_quartile = 0, maximum = 0;
    double mean = 0;
    double deviation = 0; // of the sample: over count - 1; 0 for one sample
    double noise = 0;     // deviation / mean
    // Of the median: the order statistics x(k) … x(count + 1 - k) for the largest k with a confidence of at least
    // `kConfidence` by Binomial(count, 1/2); assumes nothing about the shape. Below 6 samples it spans all of them with
    // less confidence. `confidence`: the actual one.
    Interval median_interval;
    double confidence = 0;
};
inline constexpr double kConfidence = 0.95;

// Value at `share` (0 … 1) of sorted samples, linear between neighbours: x((count - 1) share) counted from 0.
double quantile(std::span<const double> sorted, double share);
// At least one sample, all finite.
Summary summarize(std::span<const double> samples);

// How one experiment's time compares with another's.
enum class Verdict : std::uint8_t { same, faster, slower, cannot_tell };
std::string_view name(Verdict verdict); // "same", "faster", "slower", "cannot tell"
// Of `a` against `b`. same: both intervals of the median lie within a range of relative width `same_within`; faster,
// slower: they do not overlap; cannot_tell: they do, or either has fewer than 6 samples.
Verdict compare(const Summary& a, const Summary& b, double same_within = 0.005);

// Of a point: the median of the samples; or the published time, or that of the published rate; nothing if skipped.
std::optional<double> seconds_of(const Point& point);
// bytes / seconds_of; the published rate where there is one. Nothing for Quantity::launch.
std::optional<double> bytes_per_second_of(const Point& point);
std::optional<double> elements_per_second_of(const Point& point);
// Share of the theoretical peak, 0 or more; nothing if either is not known.
std::optional<double> share_of_peak(const Point& point, const Provenance& provenance);
// The fastest cold rate of a peer: "device-read", which only reads, or "device-copy".
std::optional<double> measured_peak(const Series& series, std::string_view peer);

} // namespace warptree::timing
