#include "app/measure/timing/table.hpp"

#include "app/base/table.hpp"
#include "app/catalogue/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace warptree::timing {

namespace {
constexpr std::array<std::string_view, 7> kLadder{"interleaved-modulo", "interleaved-strided", "sequential",
                                                  "first-add",          "unroll-last-warp",    "unroll-complete",
                                                  "multiple-adds"};

bool leaves_work(const Point& p) {
    const StrategyInfo* info = find_strategy(p.what.variant);
    return info != nullptr && info->answer == Answer::total && p.what.finish == Finish::host &&
           p.what.quantity == Quantity::kernel;
}

// Which of two points is shown: measured before skipped, complete before partial, fast before slow.
bool better(const Point& a, const Point& b) {
    const auto x = seconds_of(a), y = seconds_of(b);
    if (!x || !y) {
        return x.has_value() && !y;
    }
    if (leaves_work(a) != leaves_work(b)) {
        return leaves_work(b);
    }
    return *x < *y;
}

Row make_row(std::span<const Series> series, std::size_t index, const Point* point, std::size_t fits,
             std::optional<double> ceiling) {
    Row r;
    r.series = index;
    r.point = point;
    r.fits = fits;
    if (!point->samples.empty()) {
        r.summary = summarize(point->samples);
    }
    r.seconds = seconds_of(*point);
    r.bytes_per_second = bytes_per_second_of(*point);
    r.elements_per_second = elements_per_second_of(*point);
    r.share = share_of_peak(*point, series[index].provenance);
    if (r.bytes_per_second && ceiling) {
        r.share_measured = *r.bytes_per_second / *ceiling;
    }
    return r;
}

std::string number(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; }
// Four significant digits.
std::string digits(double value) {
    return fmt::format("{:.{}f}", value, value >= 999.95 ? 0 : value >= 99.995 ? 1 : value >= 9.9995 ? 2 : 3);
}
template <class Text> std::string shown(const std::optional<double>& value, Text text) {
    return value ? text(*value) : "";
}

std::string parameters_text(const Configuration& what) {
    std::string out;
    for (const auto& [key, value] : what.parameters) {
        out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", key, value);
    }
    return out;
}
} // namespace

std::string_view name(Kernels kernels) {
    switch (kernels) {
    case Kernels::ladder: return "ladder";
    case Kernels::reductions: return "reductions";
    case Kernels::scans: return "scans";
    case Kernels::others: break;
    }
    return "others";
}

std::optional<Kernels> kernels_from(std::string_view text) {
    for (const Kernels k : kKernels) {
        if (name(k) == text) {
            return k;
        }
    }
    return {};
}

bool is_file(std::string_view variant) { return variant.ends_with(".cu") || variant.ends_with(".cuda"); }

bool is_peer(std::string_view variant) { return find_strategy(variant) == nullptr && !is_file(variant); }

bool belongs(std::string_view variant, Kernels kernels) {
    if (is_file(variant)) {
        return true;
    }
    const bool ladder = std::find(kLadder.begin(), kLadder.end(), variant) != kLadder.end();
    const StrategyInfo* info = find_strategy(variant);
    const bool reduces = info != nullptr ? info->answer == Answer::total && info->family != Family::exhibit
                                         : variant == "cub-reduce" || variant == "device-read";
    const bool scans = info != nullptr ? is_scan(*info) : variant == "cub-scan" || variant == "device-copy";
    switch (kernels) {
    case Kernels::ladder: return ladder;
    case Kernels::reductions: return reduces;
    case Kernels::scans: return scans;
    case Kernels::others: break;
    }
    return !reduces && !scans;
}

std::string_view ceiling_of(Kernels kernels) {
    return kernels == Kernels::scans ? "device-copy" : kernels == Kernels::others ? "" : "device-read";
}

bool matches(const Point& point, const Conditions& c, bool any_n) {
    const Configuration& w = point.what;
    const StrategyInfo* info = find_strategy(w.variant);
    const bool finishes = info == nullptr || info->answer == Answer::total;
    return (any_n || w.n == c.n) && w.type == c.type && w.op == c.op && w.quantity == c.quantity &&
           (!c.block || w.block == 0 || w.block == *c.block) && (w.mode == c.mode || w.mode == Mode::unstated) &&
           (!c.finish || w.finish == *c.finish || !finishes || info == nullptr) && belongs(w.variant, c.kernels);
}

std::string to_string(const Conditions& c) {
    return fmt::format("{} {} {}, {}, {}, {}{}", count_text(c.n), name(c.type), name(c.op),
                       c.block ? fmt::format("B = {}", *c.block) : "fastest B", name(c.mode), name(c.quantity),
                       c.finish ? fmt::format(", finish {}", name(*c.finish)) : "");
}

const Point* best_point(const Series& series, std::string_view variant, const Conditions& conditions,
                        std::size_t* fits) {
    const Point* best = nullptr;
    std::size_t count = 0;
    for (const Point& p : series.points) {
        if (p.what.variant == variant && matches(p, conditions)) {
            count += p.skipped.empty() ? 1 : 0;
            best = best == nullptr || better(p, *best) ? &p : best;
        }
    }
    if (fits != nullptr) {
        *fits = count;
    }
    return best;
}

std::vector<const Point*> along_n(const Series& series, std::string_view variant, const Conditions& conditions) {
    std::map<std::uint64_t, const Point*> best;
    for (const Point& p : series.points) {
        if (p.what.variant == variant && p.skipped.empty() && matches(p, conditions, true)) {
            const Point*& at = best[p.what.n];
            at = at == nullptr || better(p, *at) ? &p : at;
        }
    }
    std::vector<const Point*> all;
    all.reserve(best.size());
    for (const auto& [n, point] : best) {
        all.push_back(point);
    }
    return all;
}

std::vector<std::string> variants_in(std::span<const Series> series, Kernels kernels) {
    std::vector<std::string> found, all;
    for (const Series& s : series) {
        for (const Point& p : s.points) {
            if (belongs(p.what.variant, kernels) &&
                std::find(found.begin(), found.end(), p.what.variant) == found.end()) {
                found.push_back(p.what.variant);
            }
        }
    }
    for (const StrategyInfo& s : strategies()) {
        if (std::find(found.begin(), found.end(), s.id) != found.end()) {
            all.emplace_back(s.id);
        }
    }
    std::sort(found.begin(), found.end());
    std::copy_if(found.begin(), found.end(), std::back_inserter(all), is_file);
    std::copy_if(found.begin(), found.end(), std::back_inserter(all), is_peer);
    return all;
}

namespace {
// The previous rung of the lecture's ladder; empty for the first and for kernels not on it.
std::string_view rung_before(std::string_view variant) {
    const auto at = std::find(kLadder.begin(), kLadder.end(), variant);
    return at == kLadder.end() || at == kLadder.begin() ? std::string_view{} : *std::prev(at);
}
} // namespace

std::vector<Row> rows(std::span<const Series> series, const Conditions& conditions) {
    std::vector<Row> all;
    for (std::size_t s = 0; s < series.size(); ++s) {
        const auto ceiling = measured_peak(series[s], ceiling_of(conditions.kernels));
        std::optional<double> first, above; // seconds of the first kernel, and of the last before this row
        std::string_view rung;              // whose time `above` is
        for (const std::string& variant : variants_in(series.subspan(s, 1), conditions.kernels)) {
            std::size_t fits = 0;
            const Point* point = best_point(series[s], variant, conditions, &fits);
            if (point == nullptr) {
                continue;
            }
            Row row = make_row(series, s, point, fits, ceiling);
            if (row.seconds && !is_peer(variant)) {
                if (conditions.kernels == Kernels::ladder && above && rung == rung_before(variant)) {
                    row.step = *above / *row.seconds;
                }
                first = first ? first : row.seconds;
                row.cumulative = *first / *row.seconds;
                above = row.seconds;
                rung = point->what.variant;
            }
            all.push_back(row);
        }
    }
    return all;
}

std::string time_text(double seconds) {
    for (const auto& [unit, text] : {std::pair{1.0, "s"}, {1e-3, "ms"}, {1e-6, "µs"}}) {
        if (seconds >= unit * 0.99995) {
            return digits(seconds / unit) + " " + text;
        }
    }
    return digits(seconds * 1e9) + " ns";
}

std::string rate_text(double bytes_per_second) { return digits(bytes_per_second / 1e9) + " GB/s"; }
std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }
std::string factor_text(double factor) {
    return factor >= 999.5 ? fmt::format("{:.0f}×", factor) : fmt::format("{:.2f}×", factor);
}
std::string count_text(std::uint64_t n) {
    return std::has_single_bit(n) && n >= 1024 ? fmt::format("2^{}", std::bit_width(n) - 1) : std::to_string(n);
}

std::string choice_text(const Configuration& what) {
    const StrategyInfo* info = find_strategy(what.variant);
    const bool finishes = info != nullptr && info->answer == Answer::total;
    std::string out = !finishes ? ""
                      : what.finish == Finish::host && what.quantity == Quantity::kernel
                          ? "partials left"
                          : std::string(name(what.finish));
    const auto add = [&out](const std::string& text) { out += (out.empty() || text.empty() ? "" : ", ") + text; };
    for (const auto& [key, value] : what.parameters) {
        add(value == 0 ? "" : fmt::format("{} = {}", key, value)); // 0: left to the strategy
    }
    add(what.grid != 0 ? fmt::format("grid = {}", what.grid) : "");
    return out;
}

std::string to_csv(std::span<const Series> series, std::span<const Row> rows) {
    Table table;
    for (const char* title : {"series",
                              "variant",
                              "n",
                              "type",
                              "operator",
                              "block",
                              "grid",
                              "finish",
                              "parameters",
                              "mode",
                              "quantity",
                              "bytes",
                              "seconds",
                              "seconds_minimum",
                              "seconds_lower_quartile",
                              "seconds_upper_quartile",
                              "samples",
                              "noise",
                              "bytes_per_second",
                              "elements_per_second",
                              "share_of_theoretical",
                              "share_of_measured",
                              "step_speedup",
                              "cumulative_speedup",
                              "skipped",
                              "remark",
                              "source"}) {
        table.columns.push_back({title});
    }
    const auto known = [](std::uint64_t value) { return value == 0 ? std::string() : std::to_string(value); };
    for (const Row& r : rows) {
        const Point& p = *r.point;
        const Configuration& w = p.what;
        const Provenance& from = series[r.series].provenance;
        const auto of_samples = [&](double Summary::*value) {
            return r.summary ? number((*r.summary).*value) : std::string();
        };
        table.rows.push_back({series[r.series].name,
                              w.variant,
                              std::to_string(w.n),
                              std::string(name(w.type)),
                              std::string(name(w.op)),
                              known(w.block),
                              known(w.grid),
                              std::string(name(w.finish)),
                              parameters_text(w),
                              std::string(name(w.mode)),
                              std::string(name(w.quantity)),
                              std::to_string(p.bytes),
                              number(r.seconds),
                              of_samples(&Summary::minimum),
                              of_samples(&Summary::lower_quartile),
                              of_samples(&Summary::upper_quartile),
                              std::to_string(p.samples.size()),
                              of_samples(&Summary::noise),
                              number(r.bytes_per_second),
                              number(r.elements_per_second),
                              number(r.share),
                              number(r.share_measured),
                              number(r.step),
                              number(r.cumulative),
                              p.skipped,
                              p.remark,
                              from.source.empty() ? from.device : from.source});
    }
    return table_text(table, TableFormat::csv);
}

std::string to_markdown(std::span<const Series> series, std::span<const Row> rows) {
    Table table{{{"series"},
                 {"strategy"},
                 {"n", true},
                 {"type"},
                 {"B", true},
                 {"choice"},
                 {"time", true},
                 {"bandwidth", true},
                 {"% of peak", true},
                 {"step", true},
                 {"cumulative", true},
                 {"noise", true},
                 {"remark"}},
                {}};
    for (const Row& r : rows) {
        const Point& p = *r.point;
        table.rows.push_back({series[r.series].name, p.what.variant, count_text(p.what.n),
                              std::string(name(p.what.type)), p.what.block == 0 ? "" : std::to_string(p.what.block),
                              choice_text(p.what), r.seconds ? time_text(*r.seconds) : "not measured",
                              shown(r.bytes_per_second, rate_text), shown(r.share, share_text),
                              shown(r.step, factor_text), shown(r.cumulative, factor_text),
                              r.summary ? share_text(r.summary->noise) : "", p.skipped.empty() ? p.remark : p.skipped});
    }
    return table_text(table, TableFormat::markdown);
}

std::vector<Series> shown_points(std::span<const Series> series, std::span<const Row> rows) {
    std::vector<Series> all;
    for (std::size_t s = 0; s < series.size(); ++s) {
        Series some{series[s].name, series[s].provenance, {}};
        for (const Row& r : rows) {
            if (r.series == s) {
                some.points.push_back(*r.point);
            }
        }
        if (!some.points.empty()) {
            all.push_back(std::move(some));
        }
    }
    return all;
}

} // namespace warptree::timing
