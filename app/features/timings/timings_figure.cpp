// The figure beside the bars: against n, cold and warm, block sizes, the samples of one point, or limits.
#include "app/features/timings/timings.hpp"
#include "app/views/tree/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace warptree::scene {

using timing::Row;

namespace {
constexpr std::size_t kMostCurves = 16; // as many names as fit beside a plot

// "NVIDIA H200" of "NVIDIA H200 (recorded)"
std::string short_name(const std::string& name) { return name.substr(0, name.rfind(" (")); }

struct SizeCurve {
    std::size_t series;
    std::string variant;
    int color;
    std::vector<Row> rows; // one per n, ascending
    double last = 0;       // bytes a second at the largest n
};

// Every point of the kernels against n; rows have cumulative speed-ups against the first kernel at the same n.
std::vector<SizeCurve> size_curves(const TimingsView& v, const timing::Conditions& conditions) {
    std::vector<SizeCurve> all;
    const auto variants = timing::variants_in(v.series, v.conditions.kernels);
    for (std::size_t s = 0; s < v.series.size(); ++s) {
        const timing::Series& series = v.series[s];
        const auto ceiling = timing::measured_peak(series, timing::ceiling_of(v.conditions.kernels));
        std::vector<std::pair<std::uint64_t, double>> first; // n and seconds of the first kernel
        for (std::size_t k = 0; k < variants.size(); ++k) {
            SizeCurve curve{s, variants[k], static_cast<int>(k), {}};
            for (const timing::Point* p : timing::along_n(series, variants[k], conditions)) {
                Row r;
                r.series = s;
                r.point = p;
                r.summary = p->samples.empty() ? std::nullopt : std::optional(timing::summarize(p->samples));
                r.seconds = timing::seconds_of(*p);
                r.bytes_per_second = timing::bytes_per_second_of(*p);
                r.share = timing::share_of_peak(*p, series.provenance);
                if (r.bytes_per_second && ceiling) {
                    r.share_measured = *r.bytes_per_second / *ceiling;
                }
                const auto base =
                    std::find_if(first.begin(), first.end(), [&](const auto& f) { return f.first == p->what.n; });
                if (base != first.end() && !timing::is_peer(variants[k])) {
                    r.cumulative = base->second / *r.seconds;
                } else if (k == 0) {
                    r.cumulative = 1;
                }
                curve.last = r.bytes_per_second.value_or(0);
                curve.rows.push_back(std::move(r));
            }
            if (k == 0) {
                for (const Row& r : curve.rows) {
                    first.emplace_back(r.point->what.n, *r.seconds);
                }
            }
            if (!curve.rows.empty()) {
                all.push_back(std::move(curve));
            }
        }
    }
    return all;
}

// Draws a title and a muted line below it; returns the rest of the area.
Rect heading(TimingsPen& pen, const Rect& area, const std::string& title, const std::string& note) {
    pen.text({area.x, area.y, area.w, pen.px(22)}, title, pen.theme().text, Align::left, Face::sans_bold, 15);
    pen.text({area.x, area.y + pen.px(22), area.w, pen.px(18)}, note, pen.theme().muted);
    const float y = area.y + pen.px(44);
    return {area.x, y, area.w, std::max(1.0F, area.bottom() - y)};
}

void not_measured(TimingsPen& pen, const Rect& room, const std::string& why) {
    pen.text({room.x, room.y, room.w, pen.px(20)}, "Not measured: " + why, pen.theme().text);
}

void peaks(const TimingsView& v, const std::vector<SizeCurve>& curves, double unit, Plot& plot) {
    if (v.show != TimingShow::bandwidth && v.show != TimingShow::share) {
        return;
    }
    std::vector<std::size_t> done;
    for (const SizeCurve& c : curves) {
        if (std::find(done.begin(), done.end(), c.series) != done.end()) {
            continue;
        }
        done.push_back(c.series);
        const timing::Series& s = v.series[c.series];
        const double theoretical = s.provenance.theoretical_bytes_per_second;
        const auto measured = timing::measured_peak(s, timing::ceiling_of(v.conditions.kernels));
        const bool share = v.show == TimingShow::share;
        const auto add = [&](const char* what, double rate) {
            if (share && theoretical <= 0) {
                return;
            }
            plot.marks.push_back({std::nullopt, (share ? rate / theoretical : rate) / unit,
                                  fmt::format("{} {}, {}", what, timing::rate_text(rate), short_name(s.name)), true});
        };
        if (theoretical > 0) {
            add("theoretical", theoretical);
        }
        if (measured) {
            add(v.conditions.kernels == timing::Kernels::scans ? "measured copy" : "measured read", *measured);
        }
    }
}

// Why a kernel is above the line of the measured peak, for the one furthest above; empty: none is.
std::string why_above(const TimingsView& v, const std::vector<SizeCurve>& curves) {
    const Row* best = nullptr;
    std::size_t of = 0;
    for (const SizeCurve& c : curves) {
        for (const Row& r : c.rows) {
            if (r.share_measured.value_or(0) > (best == nullptr ? 1.005 : *best->share_measured)) {
                best = &r;
                of = c.series;
            }
        }
    }
    if (best == nullptr) {
        return {};
    }
    const std::string_view peer = timing::ceiling_of(v.conditions.kernels);
    const timing::Point* line = nullptr;
    for (const timing::Point& p : v.series[of].points) {
        const bool counts =
            p.what.variant == peer && p.what.mode == timing::Mode::cold && p.what.quantity == timing::Quantity::kernel;
        const auto rate = counts ? timing::bytes_per_second_of(p) : std::nullopt;
        line = rate && (line == nullptr || *rate > *timing::bytes_per_second_of(*line)) ? &p : line;
    }
    if (line == nullptr) {
        return {};
    }
    const timing::Configuration &ours = best->point->what, &theirs = line->what;
    const std::string block = theirs.block == 0 ? "" : fmt::format(", B = {}", theirs.block);
    const std::string choice = timing::choice_text(ours);
    return fmt::format("{} is {:.1f} % above the measured line at n = {}: that line is the best of one plain kernel "
                       "({}{}, n = {}) and not a limit; this one has another launch (B = {}{}).",
                       ours.variant, 100 * (*best->share_measured - 1), timing::count_text(ours.n), peer, block,
                       timing::count_text(theirs.n), ours.block, choice.empty() ? "" : ", " + choice);
}

// Which point shapes belong to which series: "discs: NVIDIA H200; rings: G80, 2007".
std::string point_key(const TimingsView& v, const std::vector<SizeCurve>& curves) {
    constexpr std::array kShapes{"discs", "rings", "squares", "open squares"}; // as series_style has them
    std::vector<std::size_t> all;
    std::string text;
    for (const SizeCurve& c : curves) {
        if (std::find(all.begin(), all.end(), c.series) == all.end()) {
            all.push_back(c.series);
            text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", kShapes[c.series % kShapes.size()],
                                short_name(v.series[c.series].name));
        }
    }
    return text;
}

void draw_sizes(TimingsPen& pen, const Rect& area) {
    constexpr double kBeyond = 1.5; // factor by which the axis extends beyond the first and last point
    const TimingsView& v = pen.view;
    timing::Conditions conditions = v.conditions;
    std::vector<SizeCurve> curves = size_curves(v, conditions);
    // A block size measured at one n or two gives no curve.
    const auto whole = [](const std::vector<SizeCurve>& all) {
        return std::count_if(all.begin(), all.end(), [](const SizeCurve& c) { return c.rows.size() >= 3; });
    };
    conditions.block.reset();
    std::vector<SizeCurve> any_block;
    if (v.conditions.block && whole(curves) < static_cast<std::ptrdiff_t>(curves.size())) {
        any_block = size_curves(v, conditions);
    }
    const bool fastest = whole(any_block) > whole(curves);
    if (fastest) {
        curves = std::move(any_block);
    }
    const std::size_t had = curves.size();
    if (had > kMostCurves) { // the fastest at their largest n
        std::vector<double> last;
        for (const SizeCurve& c : curves) {
            last.push_back(c.last);
        }
        std::nth_element(last.begin(), last.begin() + kMostCurves - 1, last.end(), std::greater<>());
        const double least = last[kMostCurves - 1];
        std::erase_if(curves, [&](const SizeCurve& c) { return c.last < least; });
        curves.resize(std::min(curves.size(), kMostCurves));
    }
    constexpr const char* kTitles[]{"Time against n", "Bandwidth against n", "Percent of peak against n",
                                    "Speed-up over the first kernel against n"};
    std::string note = had > curves.size()
                           ? fmt::format("the {} fastest of {} at their largest n; ", curves.size(), had)
                           : std::string();
    note += fastest              ? fmt::format("the fastest B of each; B = {} has no curve", *v.conditions.block)
            : v.conditions.block ? fmt::format("B = {}", *v.conditions.block)
                                 : "the fastest B of each";
    const bool several = std::any_of(curves.begin(), curves.end(),
                                     [&](const SizeCurve& c) { return c.series != curves.front().series; });
    Rect room = heading(pen, area, kTitles[static_cast<std::size_t>(v.show)], note);
    if (several) { // colours distinguish kernels, point shapes series
        pen.text({room.x, room.y - pen.px(4), room.w, pen.px(18)}, point_key(v, curves), pen.theme().text);
        room.y += pen.px(16);
        room.h -= pen.px(16);
    }
    std::set<std::string> named;
    std::vector<double> xs, ys;
    std::vector<std::vector<const Row*>> of_curve;
    Plot plot;
    plot.label_ends = true;
    for (const SizeCurve& c : curves) {
        Series line{named.insert(c.variant).second ? c.variant : "", {}, true};
        line.color = c.color;
        line.dash = several ? static_cast<int>(c.series) : c.color;
        std::vector<const Row*> points;
        for (const Row& r : c.rows) {
            const Shown s = shown_value(r, v.show);
            if (s.value) {
                const double none = std::numeric_limits<double>::quiet_NaN();
                line.points.push_back(
                    {static_cast<double>(r.point->what.n), *s.value, s.low.value_or(none), s.high.value_or(none)});
                points.push_back(&r);
                xs.push_back(static_cast<double>(r.point->what.n));
                ys.push_back(*s.value);
            }
        }
        if (!line.points.empty()) {
            plot.series.push_back(std::move(line));
            of_curve.push_back(std::move(points));
        }
    }
    if (plot.series.empty()) {
        not_measured(pen, room, "no shown series has this at any n.");
        return;
    }
    ShownAxis axis = shown_axis(v.show, ys, false);
    peaks(v, curves, axis.unit, plot);
    if (const std::string why = plot.marks.empty() ? "" : why_above(v, curves); !why.empty()) {
        const auto lines = scene::wrapped(*pen.context.measure, why, Face::sans, pen.px(13), room.w);
        for (const std::string& line : lines) {
            pen.text({room.x, room.y - pen.px(4), room.w, pen.px(18)}, line, pen.theme().text);
            room.y += pen.px(17);
            room.h -= pen.px(17);
        }
    }
    for (const Mark& m : plot.marks) {
        ys.push_back(*m.y * axis.unit);
    }
    axis = shown_axis(v.show, ys, false);
    if (v.show == TimingShow::bandwidth && axis.axis.scale != AxisScale::linear && !plot.marks.empty()) {
        axis.axis.to *= 1.25; // room above the lines of the peaks
    }
    plot.y = axis.axis;
    plot.x = spanning("n", AxisScale::log2, xs);
    plot.x.from /= kBeyond;
    plot.x.to *= kBeyond;
    if (*std::min_element(xs.begin(), xs.end()) == *std::max_element(xs.begin(), xs.end())) {
        plot.x.from = xs.front() / 4;
        plot.x.to = xs.front() * 4;
    }
    for (Series& s : plot.series) {
        for (PlotPoint& p : s.points) {
            p.y /= axis.unit;
            p.low /= axis.unit;
            p.high /= axis.unit;
        }
    }
    std::vector<PlotHit> hits;
    pen.add(draw_plot(pen.context, room, plot, &hits));
    for (const PlotHit& h : hits) {
        pen.out.hits.push_back({h.rect, of_curve[h.series][h.point]->series, of_curve[h.series][h.point]->point});
    }
}

// Rows of one series, kernel by kernel: a bar for each column that has the kernel.
void draw_columns(TimingsPen& pen, const Rect& room, std::size_t series, const std::vector<std::string>& names,
                  const std::vector<std::vector<Row>>& columns, const char* missing) {
    const TimingsView& v = pen.view;
    const auto row_of = [&](const std::string& kernel, std::size_t column) {
        const std::vector<Row>& rows = columns[column];
        const auto row =
            std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.point->what.variant == kernel; });
        return row == rows.end() ? nullptr : &*row;
    };
    auto [groups, of_group] = group_rows(v, timing::variants_in(v.series.subspan(series, 1), v.conditions.kernels),
                                         columns.size(), row_of, missing);
    groups.series = names;
    std::vector<PlotHit> hits;
    pen.add(draw_groups(pen.context, room, groups, &hits));
    for (const PlotHit& h : hits) {
        if (const Row* row = of_group[h.point][h.series]) {
            pen.out.hits.push_back({h.rect, series, row->point});
        }
    }
}

void draw_modes(TimingsPen& pen, const Rect& area) {
    const TimingsView& v = pen.view;
    timing::Conditions cold = v.conditions, warm = v.conditions;
    cold.mode = timing::Mode::cold;
    warm.mode = timing::Mode::warm;
    for (std::size_t s = 0; s < v.series.size(); ++s) {
        const auto one = v.series.subspan(s, 1);
        std::vector<std::vector<Row>> columns{timing::rows(one, cold), timing::rows(one, warm)};
        for (std::vector<Row>& rows : columns) {
            std::erase_if(rows, [](const Row& r) { return r.point->what.mode == timing::Mode::unstated; });
        }
        if (!columns[0].empty() && !columns[1].empty()) {
            const Rect room = heading(pen, area, "Cold and warm: " + v.series[s].name,
                                      "cold: the L2 cache was overwritten before each sample; warm: back to back");
            draw_columns(pen, room, s, {"cold", "warm"}, columns, "not measured");
            return;
        }
    }
    const Rect room = heading(pen, area, "Cold and warm", spelled(v.conditions));
    not_measured(pen, room, "no shown series has both modes here.");
}

// The first series with several block sizes under the conditions; the five largest that at least two kernels share.
void draw_blocks(TimingsPen& pen, const Rect& area) {
    const TimingsView& v = pen.view;
    constexpr std::size_t kMost = 5;
    timing::Conditions any = v.conditions;
    any.block.reset();
    for (std::size_t s = 0; s < v.series.size(); ++s) {
        std::map<std::uint32_t, std::set<std::string_view>> users;
        for (const timing::Point& p : v.series[s].points) {
            if (p.what.block != 0 && p.skipped.empty() && timing::matches(p, any)) {
                users[p.what.block].insert(p.what.variant);
            }
        }
        std::erase_if(users, [](const auto& block) { return block.second.size() < 2; });
        while (users.size() > kMost) {
            users.erase(users.begin());
        }
        if (users.size() < 2) {
            continue;
        }
        std::vector<std::string> names;
        std::vector<std::vector<Row>> columns;
        for (const auto& [block, variants] : users) {
            timing::Conditions c = any;
            c.block = block;
            names.push_back(fmt::format("B = {}", block));
            columns.push_back(timing::rows(v.series.subspan(s, 1), c));
            // Peers choose their own block size.
            std::erase_if(columns.back(), [](const Row& r) { return r.point->what.block == 0; });
        }
        const Rect room = heading(pen, area, "Block sizes: " + v.series[s].name, spelled(any));
        draw_columns(pen, room, s, names, columns, "");
        return;
    }
    const Rect room = heading(pen, area, "Block sizes", spelled(any));
    not_measured(pen, room, "no shown series has two block sizes here.");
}

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
        const Rect room =
            heading(pen, area, "Samples", row == nullptr ? spelled(pen.view.conditions) : row->point->what.variant);
        not_measured(pen, room, row == nullptr ? "no row has samples." : "a published figure has no samples.");
        return;
    }
    const timing::Summary& sum = *row->summary;
    const Rect room = heading(
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

// The best point of each series at any n against the bandwidth of its device: GPUs of different years in one picture.
void draw_limits(TimingsPen& pen, const Rect& area) {
    const Rect room = heading(pen, area, "The best of each against its device's limit",
                              "at any n, type and block; 100 % is the theoretical bandwidth of that device");
    Bars bars;
    bars.axis = {"% of the theoretical bandwidth", AxisScale::linear, 0, 100};
    for (const timing::Series& s : pen.view.series) {
        const timing::Point* best = nullptr;
        double most = 0;
        for (const timing::Point& p : s.points) {
            const auto share = timing::share_of_peak(p, s.provenance);
            if (p.skipped.empty() && !timing::is_peer(p.what.variant) && p.what.mode != timing::Mode::warm &&
                timing::belongs(p.what.variant, timing::Kernels::reductions) && share && *share > most) {
                best = &p;
                most = *share;
            }
        }
        if (best == nullptr) {
            continue;
        }
        constexpr double kGiga = 1e9;
        bars.bars.push_back({fmt::format("{}: {}", short_name(s.name), best->what.variant),
                             {100 * most},
                             fmt::format("{:.0f} of {:.0f} GB/s", *timing::bytes_per_second_of(*best) / kGiga,
                                         s.provenance.theoretical_bytes_per_second / kGiga)});
    }
    if (bars.bars.empty()) {
        not_measured(pen, room, "no shown series has a reduction and a known limit.");
        return;
    }
    pen.add(draw_bars(pen.context, room, bars));
}
} // namespace

void draw_timing_figure(TimingsPen& pen, const Rect& area) {
    switch (pen.view.figure) {
    case TimingFigure::sizes: draw_sizes(pen, area); break;
    case TimingFigure::modes: draw_modes(pen, area); break;
    case TimingFigure::blocks: draw_blocks(pen, area); break;
    case TimingFigure::samples: draw_samples(pen, area); break;
    case TimingFigure::limits: draw_limits(pen, area); break;
    }
}

} // namespace warptree::scene
