#include "app/features/timings/timings_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warptree::scene {

using timing::Row;

namespace {
// Counts in bins of equal width; the number of bins is the square root of the number of samples, 5 to 40.
Series histogram(const std::vector<double>& sorted, double unit, double& most) {
    const auto bins = static_cast<std::size_t>(std::clamp(std::sqrt(static_cast<double>(sorted.size())), 5.0, 40.0));
    const double from = sorted.front() / unit, to = sorted.back() / unit;
    const double width = to > from ? (to - from) / static_cast<double>(bins) : std::max(from * 1e-3, 1e-12);
    std::vector<double> counts(bins, 0);
    for (const double s : sorted) {
        ++counts[std::min(bins - 1, static_cast<std::size_t>((s / unit - from) / width))];
    }
    Series line;
    line.stepped = true;
    line.points.push_back({from, 0});
    for (std::size_t b = 0; b < bins; ++b) {
        line.points.push_back({from + width * static_cast<double>(b), counts[b]});
        most = std::max(most, counts[b]);
    }
    line.points.push_back({from + width * static_cast<double>(bins), 0});
    return line;
}

} // namespace

void draw_samples(TimingsPen& pen, const Rect& area) {
    const Row* row = nullptr;
    if (pen.view.selected && *pen.view.selected < pen.rows.size()) {
        row = &pen.rows[*pen.view.selected];
    } else {
        const auto any =
            std::find_if(pen.rows.begin(), pen.rows.end(), [](const Row& r) { return r.summary.has_value(); });
        row = any == pen.rows.end() ? nullptr : &*any;
    }
    if (row == nullptr || !row->summary) {
        const Rect room = figure_heading(pen, area, "Samples",
                                         row == nullptr ? spelled(pen.view.conditions) : row->point->what.variant);
        not_measured(pen, room, row == nullptr ? "no row has samples." : "a published figure has no samples.");
        return;
    }
    const timing::Summary& sum = *row->summary;
    const Rect room = figure_heading(
        pen, area, fmt::format("Samples of {}, {}", row->point->what.variant, pen.view.series[row->series].name),
        fmt::format("{} samples, noise {:.2f} %, median {}, ended by {}", sum.count, 100 * sum.noise,
                    timing::time_text(sum.median), name(row->point->stop)));
    const double unit = shown_axis(TimingShow::time, {sum.median}, false).unit;
    const char* units = unit == 1 ? "s" : unit == 1e-3 ? "ms" : "µs";
    std::vector<double> sorted = row->point->samples;
    std::sort(sorted.begin(), sorted.end());
    double slack = (sum.maximum - sum.minimum) / unit * 0.06;
    slack = slack > 0 ? slack : sum.median / unit * 0.01;
    const Axis time{fmt::format("time, {}", units), AxisScale::linear, sum.minimum / unit - slack,
                    sum.maximum / unit + slack};
    Plot counts;
    double most = 1;
    counts.series.push_back(histogram(sorted, unit, most));
    counts.x = time;
    counts.y = spanning("samples", AxisScale::linear, {0, 1.15 * most}); // with room for the median's name
    counts.marks = {{sum.lower_quartile / unit, std::nullopt, ""},
                    {sum.median / unit, std::nullopt, "median"},
                    {sum.upper_quartile / unit, std::nullopt, ""}};
    Plot order;
    order.x = {"sample, in the order taken", AxisScale::linear, 0, static_cast<double>(sum.count) + 1};
    order.y = time;
    Series dots{"", {}, true, false, false};
    const std::size_t stride = std::max<std::size_t>(1, row->point->samples.size() / 1500); // limits the number of dots
    for (std::size_t i = 0; i < row->point->samples.size(); i += stride) {
        dots.points.push_back({static_cast<double>(i + 1), row->point->samples[i] / unit});
    }
    order.series.push_back(std::move(dots));
    const bool both = room.h >= pen.px(270);
    const float half = both ? (room.h - pen.px(8)) / 2 : room.h;
    pen.add(draw_plot(pen.context, {room.x, room.y, room.w, half}, counts));
    if (both) {
        pen.add(draw_plot(pen.context, {room.x, room.bottom() - half, room.w, half}, order));
    }
}

} // namespace warptree::scene
