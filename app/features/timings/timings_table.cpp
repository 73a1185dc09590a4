// The rows as a table, and a point in words.
#include "app/features/timings/timings.hpp"

#include "app/base/type_words.hpp"
#include "app/measure/timing/sampler.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace warptree::scene {

using timing::Row;

namespace {
struct TimingColumn {
    const char* title;
    bool number;
    int keep; // without enough room, columns with the lowest number are dropped first
    std::string (*cell)(const timing::Series& series, const Row& row);
};
template <class Text> std::string or_nothing(const std::optional<double>& value, Text text) {
    return value ? text(*value) : std::string();
}

const std::vector<TimingColumn>& columns() {
    static const std::vector<TimingColumn> all{
        {"strategy", false, 99, [](const timing::Series&, const Row& r) { return r.point->what.variant; }},
        {"series", false, 98, [](const timing::Series& s, const Row&) { return s.name; }},
        {"B", true, 4,
         [](const timing::Series&, const Row& r) {
             return r.point->what.block == 0 ? std::string() : std::to_string(r.point->what.block);
         }},
        {"variant", false, 3, [](const timing::Series&, const Row& r) { return timing::choice_text(r.point->what); }},
        {"time", true, 97,
         [](const timing::Series&, const Row& r) {
             return r.seconds ? timing::time_text(*r.seconds) : std::string("not measured");
         }},
        {"bandwidth", true, 90,
         [](const timing::Series&, const Row& r) { return or_nothing(r.bytes_per_second, timing::rate_text); }},
        {"% of peak", true, 80,
         [](const timing::Series&, const Row& r) { return or_nothing(r.share, timing::share_text); }},
        {"% of measured peak", true, 2,
         [](const timing::Series&, const Row& r) { return or_nothing(r.share_measured, timing::share_text); }},
        {"step", true, 60, [](const timing::Series&, const Row& r) { return or_nothing(r.step, timing::factor_text); }},
        {"cumulative", true, 70,
         [](const timing::Series&, const Row& r) { return or_nothing(r.cumulative, timing::factor_text); }},
        {"noise", true, 10,
         [](const timing::Series&, const Row& r) {
             return r.summary ? timing::share_text(r.summary->noise) : std::string();
         }},
        {"samples", true, 1,
         [](const timing::Series&, const Row& r) {
             return r.point->samples.empty() ? std::string() : std::to_string(r.point->samples.size());
         }},
    };
    return all;
}
} // namespace

void draw_timing_table(TimingsPen& pen, const Rect& area) {
    const float line = pen.px(22), em = pen.px(13);
    pen.text({area.x, area.y, area.w, line}, fmt::format("Table: {}", spelled(pen.view.conditions)), pen.theme().text,
             Align::left, Face::sans_bold, 15);
    const Rect room{area.x, area.y + line + pen.px(4), area.w, area.h - line - pen.px(4)};
    const auto fit = static_cast<std::size_t>(std::max(0.0F, room.h / line));
    if (fit < 2 || pen.rows.empty()) {
        pen.text({room.x, room.y, room.w, std::min(room.h, line)}, pen.rows.empty() ? "No rows." : "",
                 pen.theme().muted);
        return;
    }
    const auto& all = columns();
    std::vector<float> wide;
    std::vector<std::size_t> shown;
    for (std::size_t c = 0; c < all.size(); ++c) {
        float most = 0;
        bool any = false;
        for (const Row& r : pen.rows) {
            const std::string cell = all[c].cell(pen.view.series[r.series], r);
            most = std::max(most, pen.context.measure->width(cell, Face::sans, em));
            any = any || !cell.empty();
        }
        wide.push_back(std::max(most, pen.context.measure->width(all[c].title, Face::sans_bold, em)) + 1);
        if (any) { // an empty column is left out
            shown.push_back(c);
        }
    }
    const float least = pen.px(12);
    const auto needs = [&] {
        return std::accumulate(shown.begin(), shown.end(), least * static_cast<float>(shown.size() - 1),
                               [&](float sum, std::size_t c) { return sum + wide[c]; });
    };
    while (shown.size() > 1 && needs() > room.w) {
        shown.erase(std::min_element(shown.begin(), shown.end(),
                                     [&](std::size_t a, std::size_t b) { return all[a].keep < all[b].keep; }));
    }
    const float gap =
        shown.size() < 2
            ? 0
            : least + std::min(pen.px(80), std::max(0.0F, room.w - needs()) / static_cast<float>(shown.size() - 1));
    float y = room.y;
    const auto put = [&](auto cell, Color color, Face face) {
        float x = room.x;
        for (const std::size_t c : shown) {
            const float w = std::min(wide[c], room.right() - x);
            pen.text({x, y, w, line}, cell(c), color, all[c].number ? Align::right : Align::left, face);
            x += wide[c] + gap;
        }
        y += line;
    };
    put([&](std::size_t c) { return std::string(all[c].title); }, pen.theme().muted, Face::sans_bold);
    pen.out.drawing.layers.back().curves.push_back(
        straight({room.x, y}, {room.right(), y}, pen.px(1), pen.theme().line));
    const bool whole = pen.rows.size() <= fit - 1;
    const std::size_t count = whole ? pen.rows.size() : fit - 2;
    // Keep the selected row in view.
    const std::size_t selected = pen.view.selected.value_or(0);
    const std::size_t first =
        count == 0 || selected < count ? 0 : std::min(selected - count + 1, pen.rows.size() - count);
    for (std::size_t i = first; i < first + count; ++i) {
        const Row& r = pen.rows[i];
        const Rect rect{room.x - pen.px(6), y, room.w + pen.px(12), line};
        if (pen.view.selected == i) {
            pen.out.drawing.layers.back().boxes.push_back({.rect = {rect.x, y + pen.px(1), rect.w, line - pen.px(2)},
                                                           .radius = pen.px(3),
                                                           .fill = pen.theme().accent_fill,
                                                           .stroke = pen.theme().accent,
                                                           .stroke_width = pen.px(1)});
        }
        pen.out.hits.push_back({rect, r.series, r.point});
        put([&](std::size_t c) { return all[c].cell(pen.view.series[r.series], r); },
            r.seconds ? pen.theme().text : pen.theme().muted, Face::sans);
    }
    if (!whole) {
        pen.text({room.x, y, room.w, line},
                 fmt::format("rows {} to {} of {}", first + 1, first + count, pen.rows.size()), pen.theme().muted);
    }
}

namespace {
std::string samples_text(const timing::Point& p, const timing::Summary& s) {
    const double usual = timing::StopRule{}.min_time;
    const std::string shorter =
        p.min_time > 0 && p.min_time < usual ? fmt::format(" ({:g} s asked for, not {:g} s)", p.min_time, usual) : "";
    return fmt::format("median {} ({:.1f} % interval {} to {})\nquartiles {} and {}\nminimum {}, mean {}\n{} "
                       "samples{}, noise {}\nended by {}; the result was {}",
                       timing::time_text(s.median), 100 * s.confidence, timing::time_text(s.median_interval.low),
                       timing::time_text(s.median_interval.high), timing::time_text(s.lower_quartile),
                       timing::time_text(s.upper_quartile), timing::time_text(s.minimum), timing::time_text(s.mean),
                       s.count, shorter, fmt::format("{:.2f} %", 100 * s.noise), name(p.stop),
                       p.verified ? "checked" : "not checked");
}
} // namespace

std::string describe(const timing::Series& series, const timing::Point& p, const Row* row) {
    const timing::Configuration& w = p.what;
    const timing::Provenance& from = series.provenance;
    std::string out =
        fmt::format("{}, {}\n{} {} {}", w.variant, series.name, timing::count_text(w.n), c_name(w.type), name(w.op));
    const auto add = [&out](const char* before, const std::string& text) { out += text.empty() ? "" : before + text; };
    add(", B = ", w.block == 0 ? "" : std::to_string(w.block));
    add(", ", timing::choice_text(w));
    out +=
        fmt::format(", {}, {}", w.mode == timing::Mode::unstated ? "cache not stated" : name(w.mode), name(w.quantity));
    if (row != nullptr && row->fits > 1) {
        out += fmt::format("\nthe fastest of {} that fit the conditions", row->fits);
    }
    if (!p.skipped.empty()) {
        return out + "\nnot measured: " + p.skipped;
    }
    if (!p.samples.empty()) {
        add("\n", samples_text(p, timing::summarize(p.samples)));
    } else if (const auto seconds = timing::seconds_of(p)) {
        out += fmt::format("\n{}{}", timing::time_text(*seconds),
                           p.published_seconds ? ", as published" : ", from the published bandwidth");
    }
    if (const auto rate = timing::bytes_per_second_of(p)) {
        out += fmt::format("\n{} ({} bytes must move), {:.4g} G elements/s", timing::rate_text(*rate), grouped(p.bytes),
                           *timing::elements_per_second_of(p) / 1e9);
    }
    if (const auto share = timing::share_of_peak(p, from)) {
        out += fmt::format("\n{} of the theoretical {}", timing::share_text(*share),
                           timing::rate_text(from.theoretical_bytes_per_second));
    }
    if (row != nullptr) {
        add("\nof the measured peak: ", or_nothing(row->share_measured, timing::share_text));
        add("\nstep ", or_nothing(row->step, timing::factor_text));
        add(row->step ? ", cumulative " : "\ncumulative ", or_nothing(row->cumulative, timing::factor_text));
    }
    add("\n! ", p.remark);
    add("\n", from.source);
    add("\n", from.device);
    add(", compute capability ", from.compute_capability);
    add(", driver ", from.driver);
    add("\ntoolkit ", from.toolkit);
    add("\nflags ", from.compiler_flags);
    add("\ncommit ", from.commit);
    add("\n", from.date);
    return out;
}

} // namespace warptree::scene
