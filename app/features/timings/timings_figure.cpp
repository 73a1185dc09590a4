// The figure beside the bars: against n, cold and warm, block sizes, the samples of one point, or limits.
#include "app/features/timings/timings_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace warptree::scene {

using timing::Row;

std::string short_name(const std::string& series) { return series.substr(0, series.rfind(" (")); }

Rect figure_heading(TimingsPen& pen, const Rect& area, const std::string& title, const std::string& note) {
    pen.text({area.x, area.y, area.w, pen.px(22)}, title, pen.theme().text, Align::left, Face::sans_bold, 15);
    pen.text({area.x, area.y + pen.px(22), area.w, pen.px(18)}, note, pen.theme().muted);
    const float y = area.y + pen.px(44);
    return {area.x, y, area.w, std::max(1.0F, area.bottom() - y)};
}

void not_measured(TimingsPen& pen, const Rect& room, const std::string& why) {
    pen.text({room.x, room.y, room.w, pen.px(20)}, "Not measured: " + why, pen.theme().text);
}

namespace {
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
            const Rect room =
                figure_heading(pen, area, "Cold and warm: " + v.series[s].name,
                               "cold: the L2 cache was overwritten before each sample; warm: back to back");
            draw_columns(pen, room, s, {"cold", "warm"}, columns, "not measured");
            return;
        }
    }
    const Rect room = figure_heading(pen, area, "Cold and warm", spelled(v.conditions));
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
        const Rect room = figure_heading(pen, area, "Block sizes: " + v.series[s].name, spelled(any));
        draw_columns(pen, room, s, names, columns, "");
        return;
    }
    const Rect room = figure_heading(pen, area, "Block sizes", spelled(any));
    not_measured(pen, room, "no shown series has two block sizes here.");
}

// The best point of each series at any n against the bandwidth of its device: GPUs of different years in one picture.
void draw_limits(TimingsPen& pen, const Rect& area) {
    const Rect room = figure_heading(pen, area, "The best of each against its device's limit",
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
