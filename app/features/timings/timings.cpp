// The layout of the three parts, and the bars.
#include "app/features/timings/timings.hpp"

#include "app/base/type_words.hpp"

#include "app/catalogue/strategy.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace warptree::scene {

using timing::Row;

namespace {
template <class Enum, std::size_t N>
std::optional<Enum> from_name(std::string_view text, const std::array<Enum, N>& all) {
    for (const Enum value : all) {
        if (name(value) == text) {
            return value;
        }
    }
    return {};
}

const char* title_of(TimingShow show) {
    switch (show) {
    case TimingShow::time: return "Time";
    case TimingShow::bandwidth: return "Bandwidth";
    case TimingShow::share: return "Percent of theoretical peak";
    case TimingShow::speedup: break;
    }
    return "Cumulative speed-up over the first kernel";
}

// At scale 1: title, conditions, legend, axis; a line per bar, and the gaps between groups.
float bars_height(std::size_t bars, std::size_t groups) {
    return 128 + 15.5F * static_cast<float>(bars) + 2 * static_cast<float>(groups);
}
// The heading, the column names, a line per row.
float table_height(std::size_t rows) { return 52 + 22 * static_cast<float>(rows); }

// What a series without a matching point has instead.
std::string offers(const timing::Series& series) {
    const std::string name_alone = series.name.substr(0, series.name.rfind(" ("));
    for (const timing::Point& p : series.points) {
        if (p.skipped.empty()) {
            return fmt::format("{} ({} {} {})", name_alone, timing::count_text(p.what.n), c_name(p.what.type),
                               name(p.what.quantity));
        }
    }
    return name_alone;
}
} // namespace

std::string_view name(TimingShow show) {
    constexpr std::string_view kNames[]{"time", "bandwidth", "peak", "speed-up"};
    return kNames[static_cast<std::size_t>(show)];
}
std::optional<TimingShow> timing_show_from(std::string_view text) { return from_name(text, kTimingShows); }
std::string_view name(TimingFigure figure) {
    constexpr std::string_view kNames[]{"sizes", "modes", "blocks", "samples", "limits"};
    return kNames[static_cast<std::size_t>(figure)];
}
std::optional<TimingFigure> timing_figure_from(std::string_view text) { return from_name(text, kTimingFigures); }

const TimingHit* TimingsDrawing::at(scene::Point p) const {
    for (auto hit = hits.rbegin(); hit != hits.rend(); ++hit) {
        if (hit->rect.contains(p)) {
            return &*hit;
        }
    }
    return nullptr;
}

void TimingsPen::add(Drawing&& drawing) {
    for (Layer& layer : drawing.layers) {
        out.drawing.layers.push_back(std::move(layer));
    }
    out.drawing.layers.emplace_back();
}

void TimingsPen::text(const Rect& room, const std::string& text, Color color, Align align, Face face, float size) {
    const float em = px(size);
    const std::string shown = room.h < em ? "" : fitted(*context.measure, text, face, em, room.w);
    if (!shown.empty()) {
        const float x = align == Align::left ? room.x : align == Align::right ? room.right() : room.x + room.w / 2;
        out.drawing.layers.back().texts.push_back({{x, room.y + room.h / 2}, align, face, em, color, shown});
    }
}

Shown shown_value(const Row& row, TimingShow show) {
    const double bytes = static_cast<double>(row.point->bytes);
    Shown s;
    if (!row.seconds) {
        s.text = "not measured: " + row.point->skipped;
        return s;
    }
    const auto spread = [&](auto of_time) {
        if (row.summary) {
            const double a = of_time(row.summary->lower_quartile), b = of_time(row.summary->upper_quartile);
            s.low = std::min(a, b);
            s.high = std::max(a, b);
        }
    };
    switch (show) {
    case TimingShow::time:
        s.value = row.seconds;
        s.text = timing::time_text(*row.seconds);
        spread([](double t) { return t; });
        break;
    case TimingShow::bandwidth:
        s.value = row.bytes_per_second;
        s.text = s.value ? timing::rate_text(*s.value) : "moves no data";
        if (s.value) {
            spread([&](double t) { return bytes / t; });
        }
        break;
    case TimingShow::share:
        s.value = row.share;
        s.text = s.value ? timing::share_text(*s.value) : "the peak is not known";
        if (s.value) {
            const double peak = *row.bytes_per_second / *row.share;
            spread([&](double t) { return bytes / t / peak; });
        }
        break;
    case TimingShow::speedup:
        s.value = row.cumulative;
        s.text = !s.value   ? "a peer: no step"
                 : row.step ? fmt::format("{}, step {}", timing::factor_text(*s.value), timing::factor_text(*row.step))
                            : timing::factor_text(*s.value);
    }
    return s;
}

ShownAxis shown_axis(TimingShow show, const std::vector<double>& values, bool from_first) {
    double least = 0, most = 0;
    for (const double v : values) {
        least = v > 0 && (least == 0 || v < least) ? v : least;
        most = std::max(most, v);
    }
    const bool wide = least > 0 && most / least > 16;
    ShownAxis out;
    std::string unit = "speed-up";
    AxisScale scale = wide ? AxisScale::log10 : AxisScale::linear;
    switch (show) {
    case TimingShow::time: {
        const double middle = wide ? std::sqrt(least * most) : most;
        out.unit = middle >= 0.5 ? 1 : middle >= 0.5e-3 ? 1e-3 : 1e-6;
        unit = out.unit == 1 ? "s" : out.unit == 1e-3 ? "ms" : "µs";
        break;
    }
    case TimingShow::bandwidth:
        out.unit = 1e9;
        unit = "GB/s";
        break;
    case TimingShow::share:
        out.unit = 0.01;
        unit = "% of the theoretical peak";
        scale = AxisScale::linear;
        break;
    case TimingShow::speedup: scale = most > 4 ? AxisScale::log2 : AxisScale::linear; break;
    }
    std::vector<double> scaled{};
    for (const double v : values) {
        scaled.push_back(v / out.unit);
    }
    if (show == TimingShow::share) {
        scaled.push_back(100);
    }
    out.axis = spanning(unit + (scale == AxisScale::linear ? "" : ", logarithmic"), scale, scaled);
    if (show == TimingShow::share && most <= 1) {
        out.axis.to = 100;
    }
    if (scale == AxisScale::log10 && from_first && out.axis.from * out.unit > least * 0.9) {
        out.axis.from /= 2; // so that the smallest bar has a length
    }
    return out;
}

void draw_timing_bars(TimingsPen& pen, const Rect& area) {
    const TimingsView& v = pen.view;
    std::vector<std::string> names;
    std::vector<int> colors;
    std::vector<std::size_t> columns; // series with a row
    std::string absent;
    for (std::size_t s = 0; s < v.series.size(); ++s) {
        if (std::any_of(pen.rows.begin(), pen.rows.end(), [&](const Row& r) { return r.series == s; })) {
            columns.push_back(s);
            names.push_back(v.series[s].name);
            colors.push_back(s < v.colors.size() ? v.colors[s] : static_cast<int>(s));
        } else {
            absent += (absent.empty() ? "Not at these conditions: " : "; ") + offers(v.series[s]);
        }
    }
    const auto row_of = [&](const std::string& kernel, std::size_t column) {
        const auto row = std::find_if(pen.rows.begin(), pen.rows.end(), [&](const Row& r) {
            return r.series == columns[column] && r.point->what.variant == kernel;
        });
        return row == pen.rows.end() ? nullptr : &*row;
    };
    auto [groups, of_group] =
        group_rows(v, timing::variants_in(v.series, v.conditions.kernels), columns.size(), row_of, "not measured");
    groups.series = std::move(names);
    groups.colors = std::move(colors);
    // If there is no room for a line per bar, omit the texts of missing rows.
    const std::size_t lines = groups.groups.size() * columns.size();
    if (area.h < bars_height(lines, groups.groups.size()) * pen.context.scale) {
        for (std::size_t g = 0; g < groups.groups.size(); ++g) {
            for (std::size_t c = 0; c < columns.size(); ++c) {
                if (of_group[g][c] == nullptr) {
                    groups.groups[g].cells[c].text.clear();
                }
            }
        }
    }
    const float line = pen.px(22);
    float y = area.y;
    pen.text({area.x, y, area.w, line}, title_of(v.show), pen.theme().text, Align::left, Face::sans_bold, 15);
    y += line;
    pen.text({area.x, y, area.w, pen.px(18)}, spelled(v.conditions), pen.theme().muted);
    y += pen.px(20);
    if (!absent.empty()) {
        pen.text({area.x, y, area.w, pen.px(18)}, absent, pen.theme().muted);
        y += pen.px(18);
    }
    y += pen.px(4);
    if (groups.groups.empty()) {
        pen.text({area.x, y, area.w, pen.px(20)}, "Not measured: no shown series has a kernel at these conditions.",
                 pen.theme().text);
        return;
    }
    std::vector<PlotHit> hits;
    pen.add(draw_groups(pen.context, {area.x, y, area.w, std::max(1.0F, area.bottom() - y)}, groups, &hits));
    for (const PlotHit& h : hits) {
        if (const Row* row = of_group[h.point][h.series]) {
            pen.out.hits.push_back({h.rect, row->series, row->point});
        }
    }
}

TimingsDrawing draw_timings(const PlotContext& context, Rect area, const TimingsView& view) {
    TimingsDrawing out;
    out.drawing.clip = area;
    out.drawing.layers.emplace_back();
    const std::vector<Row> rows = timing::rows(view.series, view.conditions);
    PlotContext shrunk = context;
    TimingsPen pen{shrunk, view, rows, out};
    const float s = context.scale, gap = pen.px(6);
    const auto panel = [&](const Rect& r, void (*draw)(TimingsPen&, const Rect&)) {
        out.drawing.layers.back().boxes.push_back({.rect = r,
                                                   .radius = pen.px(4),
                                                   .fill = context.theme->panel,
                                                   .stroke = context.theme->line,
                                                   .stroke_width = pen.px(1)});
        out.drawing.layers.emplace_back();
        const float pad = pen.px(14);
        draw(pen, {r.x + pad, r.y + pen.px(10), r.w - 2 * pad, r.h - pen.px(20)});
        out.drawing.layers.emplace_back();
    };
    constexpr std::array parts{draw_timing_bars, draw_timing_figure, draw_timing_table};
    constexpr float kPadding = 20; // of a panel, above and below
    const float wanted = (kPadding + table_height(rows.size())) * s;
    // The height of the bars takes precedence over most of the table.
    std::set<std::string_view> variants;
    for (const Row& r : rows) {
        variants.insert(r.point->what.variant);
    }
    const float bars = (kPadding + bars_height(rows.size(), variants.size())) * s;
    if (area.w >= 780 * s && area.h >= 300 * s) {
        const bool table = area.h >= 460 * s;
        const float low = table ? std::clamp(std::min(wanted, area.h - gap - bars), 140 * s, area.h * 0.5F) : -gap;
        const float high = area.h - low - gap, left = (area.w - gap) * 0.5F;
        panel({area.x, area.y, left, high}, parts[0]);
        panel({area.x + left + gap, area.y, area.w - gap - left, high}, parts[1]);
        if (table) {
            panel({area.x, area.bottom() - low, area.w, low}, parts[2]);
        }
        out.parts = table ? 3 : 2;
    } else if (area.h >= 720 * s) {
        const float low = std::min(wanted, area.h * 0.3F), each = (area.h - low - 2 * gap) / 2;
        panel({area.x, area.y, area.w, each}, parts[0]);
        panel({area.x, area.y + each + gap, area.w, each}, parts[1]);
        panel({area.x, area.bottom() - low, area.w, low}, parts[2]);
    } else {
        // Only one part: its text shrinks, at most to half, so that all of it is visible.
        const auto front = static_cast<std::size_t>(((view.front % 3) + 3) % 3);
        constexpr float kFigure = 260;
        const float needs = front == 0   ? bars_height(rows.size(), variants.size())
                            : front == 1 ? kFigure
                                         : table_height(rows.size());
        shrunk.scale = std::clamp(area.h / (needs + kPadding), s * 0.5F, s);
        panel(area, parts[front]);
        out.parts = 1;
    }
    return out;
}

Drawing compose_timings(const PlotContext& context, float width, float height, const TimingsView& view) {
    const float margin = 10 * context.scale;
    TimingsDrawing d = draw_timings(context, {margin, margin, width - 2 * margin, height - 2 * margin}, view);
    d.drawing.clip = {0, 0, width, height};
    d.drawing.layers[0].boxes.insert(d.drawing.layers[0].boxes.begin(),
                                     {.rect = d.drawing.clip, .fill = context.theme->background});
    return std::move(d.drawing);
}

} // namespace warptree::scene
