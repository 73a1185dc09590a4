// Values on an axis: round ticks, short numbers, ranges.
#include "app/views/plots/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warptree::scene {

namespace {
std::vector<Tick> linear_ticks(const Axis& axis, int most) {
    const double rough = (axis.to - axis.from) / std::max(1, most);
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double step = rough <= power       ? power
                        : rough <= 2 * power ? 2 * power
                        : rough <= 5 * power ? 5 * power
                                             : 10 * power;
    std::vector<Tick> all;
    const double slack = step * 1e-9;
    for (double k = std::ceil((axis.from - slack) / step); k * step <= axis.to + slack; ++k) {
        all.push_back({k * step, short_number(k * step)});
    }
    return all;
}

// Whole powers: every one, or every second, third …
std::vector<Tick> power_ticks(const Axis& axis, int most) {
    const bool two = axis.scale == AxisScale::log2;
    const auto power_of = [&](double value) { return two ? std::log2(value) : std::log10(value); };
    const int first = static_cast<int>(std::ceil(power_of(axis.from) - 1e-9));
    const int last = static_cast<int>(std::floor(power_of(axis.to) + 1e-9));
    const int stride = std::max(1, (last - first + std::max(1, most)) / std::max(1, most));
    constexpr int kLong = 12, kKilo = 10; // from 2^13 on the axis, 2^10 and above are written as powers
    const int powers = two && last > kLong ? kKilo : last + 1;
    std::vector<Tick> all;
    for (int k = first; k <= last; ++k) {
        if (((k % stride) + stride) % stride == 0) {
            const double at = std::pow(two ? 2.0 : 10.0, k);
            all.push_back({at, k >= powers ? fmt::format("2^{}", k) : short_number(at)});
        }
    }
    return all;
}
} // namespace

std::string short_number(double value) {
    const double size = std::abs(value);
    if (size == 0 || !std::isfinite(value)) {
        return size == 0 ? "0" : fmt::format("{}", value);
    }
    for (const auto& [unit, letter] : {std::pair{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e4, "k"}}) {
        if (size >= unit * 0.99995) {
            return fmt::format("{:.3g}{}", value / (unit == 1e4 ? 1e3 : unit), letter);
        }
    }
    return size < 1e-3 ? fmt::format("{:.2g}", value) : fmt::format("{:.4g}", value);
}

std::vector<Tick> ticks(const Axis& axis, int most) {
    return axis.scale == AxisScale::linear ? linear_ticks(axis, most) : power_ticks(axis, most);
}

double fraction(const Axis& axis, double value) {
    if (axis.scale == AxisScale::linear) {
        return (value - axis.from) / (axis.to - axis.from);
    }
    return std::log(value / axis.from) / std::log(axis.to / axis.from);
}

Axis spanning(std::string title, AxisScale scale, const std::vector<double>& values) {
    Axis axis{std::move(title), scale, scale == AxisScale::linear ? 0.0 : 1.0, scale == AxisScale::linear ? 1.0 : 10.0};
    bool any = false;
    for (const double v : values) {
        if (!std::isfinite(v) || (scale != AxisScale::linear && v <= 0)) {
            continue;
        }
        axis.from = any || scale == AxisScale::linear ? std::min(axis.from, v) : v;
        axis.to = any ? std::max(axis.to, v) : std::max(v, scale == AxisScale::linear ? axis.from : v);
        any = true;
    }
    if (scale == AxisScale::linear) {
        axis.to = axis.to > axis.from ? axis.to + (axis.to - axis.from) * 0.04 : axis.from + 1;
    } else {
        const double base = scale == AxisScale::log2 ? 2 : 10;
        const auto power_of = [&](double v) { return std::log(v) / std::log(base); };
        axis.from = std::pow(base, std::floor(power_of(axis.from) + 1e-9));
        axis.to = std::pow(base, std::ceil(power_of(axis.to) - 1e-9));
        axis.to = axis.to > axis.from ? axis.to : axis.from * base;
    }
    return axis;
}

} // namespace warptree::scene
