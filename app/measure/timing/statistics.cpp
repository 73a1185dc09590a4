#include "app/measure/timing/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace warptree::timing {

namespace {
constexpr std::size_t kFewest = 6; // samples for an interval of kConfidence

// The largest k for which x(k) … x(n + 1 - k), counted from 1, contains the median with that confidence, or 1; and its
// actual confidence.
// P(it does not) = 2 P(Binomial(n, 1/2) <= k - 1).
std::pair<std::size_t, double> median_rank(std::size_t n, double confidence) {
    double log_term = -static_cast<double>(n) * std::log(2.0); // of i = 0
    double below = std::exp(log_term);
    std::size_t k = 1;
    double reached = std::max(0.0, 1 - 2 * below);
    while (2 * k < n) {
        const auto i = static_cast<double>(k);
        log_term += std::log((static_cast<double>(n) - i + 1) / i);
        below += std::exp(log_term);
        if (1 - 2 * below < confidence) {
            break;
        }
        reached = 1 - 2 * below;
        ++k;
    }
    return {k, reached};
}

// quantile(sorted, 0.5) without sorting: tables ask for that of every point in every frame.
double median(std::vector<double> s) {
    const auto high = s.begin() + static_cast<std::ptrdiff_t>(s.size() / 2);
    std::nth_element(s.begin(), high, s.end());
    if (s.size() % 2 == 1) {
        return *high;
    }
    const double low = *std::max_element(s.begin(), high);
    return low + 0.5 * (*high - low);
}
} // namespace

double quantile(std::span<const double> sorted, double share) {
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto low = std::min(static_cast<std::size_t>(at), sorted.size() - 1);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

Summary summarize(std::span<const double> samples) {
    std::vector<double> s(samples.begin(), samples.end());
    std::sort(s.begin(), s.end());
    Summary out;
    out.count = s.size();
    out.minimum = s.front();
    out.lower_quartile = quantile(s, 0.25);
    out.median = quantile(s, 0.5);
    out.upper_quartile = quantile(s, 0.75);
    out.maximum = s.back();
    const auto n = static_cast<double>(s.size());
    out.mean = std::accumulate(s.begin(), s.end(), 0.0) / n;
    if (s.size() > 1) {
        const double squares = std::accumulate(
            s.begin(), s.end(), 0.0, [&](double sum, double x) { return sum + (x - out.mean) * (x - out.mean); });
        out.deviation = std::sqrt(squares / (n - 1));
    }
    out.noise = out.mean > 0 ? out.deviation / out.mean : 0;
    const auto [k, reached] = median_rank(s.size(), kConfidence);
    out.median_interval = {s[k - 1], s[s.size() - k]};
    out.confidence = reached;
    return out;
}

std::string_view name(Verdict verdict) {
    switch (verdict) {
    case Verdict::same: return "same";
    case Verdict::faster: return "faster";
    case Verdict::slower: return "slower";
    case Verdict::cannot_tell: break;
    }
    return "cannot tell";
}

Verdict compare(const Summary& a, const Summary& b, double same_within) {
    if (a.count < kFewest || b.count < kFewest) {
        return Verdict::cannot_tell;
    }
    const Interval &x = a.median_interval, &y = b.median_interval;
    if (std::max(x.high, y.high) <= std::min(x.low, y.low) * (1 + same_within)) {
        return Verdict::same;
    }
    if (x.high < y.low) {
        return Verdict::faster;
    }
    return y.high < x.low ? Verdict::slower : Verdict::cannot_tell;
}

std::optional<double> seconds_of(const Point& point) {
    if (!point.samples.empty()) {
        return median(point.samples);
    }
    if (point.published_seconds) {
        return point.published_seconds;
    }
    if (point.published_bytes_per_second) {
        return static_cast<double>(point.bytes) / *point.published_bytes_per_second;
    }
    return {};
}

std::optional<double> bytes_per_second_of(const Point& point) {
    if (point.what.quantity == Quantity::launch) {
        return {};
    }
    if (point.samples.empty() && point.published_bytes_per_second) {
        return point.published_bytes_per_second;
    }
    const auto seconds = seconds_of(point);
    return seconds ? std::optional(static_cast<double>(point.bytes) / *seconds) : std::nullopt;
}

std::optional<double> elements_per_second_of(const Point& point) {
    const auto seconds = seconds_of(point);
    return seconds && point.what.quantity != Quantity::launch
               ? std::optional(static_cast<double>(point.what.n) / *seconds)
               : std::nullopt;
}

std::optional<double> share_of_peak(const Point& point, const Provenance& provenance) {
    const auto rate = bytes_per_second_of(point);
    return rate && provenance.theoretical_bytes_per_second > 0
               ? std::optional(*rate / provenance.theoretical_bytes_per_second)
               : std::nullopt;
}

std::optional<double> measured_peak(const Series& series, std::string_view peer) {
    std::optional<double> most;
    for (const Point& p : series.points) {
        if (p.what.variant == peer && p.what.mode == Mode::cold && p.what.quantity == Quantity::kernel) {
            most = std::max(most, bytes_per_second_of(p)); // nullopt is less than any rate
        }
    }
    return most;
}

} // namespace warptree::timing
