#include "app/features/timings/timings_figure.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

namespace warptree::scene {

using timing::Row;

namespace {
constexpr std::size_t kMostCurves = 16; // as many names as fit beside a plot

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

} // namespace

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
    Rect room = figure_heading(pen, area, kTitles[static_cast<std::size_t>(v.show)], note);
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

} // namespace warptree::scene
