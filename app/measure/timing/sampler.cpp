#include "app/measure/timing/sampler.hpp"

#include <fmt/format.h>

#include <cmath>

namespace warptree::timing {

void Sampler::add(double seconds, std::uint32_t round, double spent) {
    samples_.push_back(seconds);
    rounds_.push_back(round);
    spent_ += spent;
    const auto count = static_cast<double>(samples_.size());
    const double off = seconds - mean_;
    mean_ += off / count;
    squares_ += off * (seconds - mean_);
    noise_.push_back(samples_.size() < 2 || mean_ <= 0 ? 0 : std::sqrt(squares_ / (count - 1)) / mean_);
}

bool Sampler::stable() const {
    const std::size_t n = noise_.size();
    if (n < rule_.least_for_stable) {
        return false;
    }
    const double now = noise_.back();
    const auto near = [&](double then) { return std::abs(then - now) <= rule_.steady * now; };
    return near(noise_[n / 2 - 1]) && near(noise_[3 * n / 4 - 1]);
}

std::optional<Stop> Sampler::done() const {
    if (samples_.empty()) {
        return std::nullopt;
    }
    if (samples_.size() >= rule_.min_samples && spent_ >= rule_.min_time) {
        if (noise() < rule_.low_noise) {
            return Stop::noise_low;
        }
        if (stable()) {
            return Stop::noise_stable;
        }
    }
    return spent_ >= rule_.time_limit ? std::optional(Stop::time_limit) : std::nullopt;
}

std::string Sampler::unmet() const {
    std::string text;
    const auto also = [&text](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
    if (samples_.size() < rule_.min_samples) {
        also(fmt::format("{} of the {} samples asked for", samples_.size(), rule_.min_samples));
    }
    if (spent_ < rule_.min_time) {
        also(fmt::format("{:.2g} s of the {:g} s asked for", spent_, rule_.min_time));
    }
    if (noise() >= rule_.low_noise && !stable()) {
        also(fmt::format("noise of {:.1f} % neither below {:g} % nor stable", 100 * noise(), 100 * rule_.low_noise));
    }
    return text;
}

} // namespace warptree::timing
