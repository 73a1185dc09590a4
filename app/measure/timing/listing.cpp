#include "app/measure/timing/listing.hpp"

#include "app/measure/timing/launches.hpp"
#include "app/measure/timing/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace warptree::timing {

namespace {
std::string where(const Series& s) {
    const Provenance& p = s.provenance;
    std::string text = s.name;
    if (!p.compute_capability.empty()) {
        text += fmt::format(", cc {}, {} multiprocessors", p.compute_capability, p.multiprocessors);
    }
    if (!p.driver.empty()) {
        text += fmt::format("; driver {}, toolkit {}", p.driver, p.toolkit);
    }
    if (p.theoretical_bytes_per_second > 0) {
        text += fmt::format("\npeak {:.0f} GB/s", 1e-9 * p.theoretical_bytes_per_second);
        for (const std::string_view peer : {kRead, kCopy}) {
            if (const auto rate = measured_peak(s, peer)) {
                text += fmt::format("; {} {:.0f} GB/s ({:.1f} %)", peer, 1e-9 * *rate,
                                    100 * *rate / p.theoretical_bytes_per_second);
            }
        }
    }
    if (p.l2_bytes > 0) {
        text += fmt::format("\nL2 {} MB; before each cold sample {} MB are overwritten", p.l2_bytes >> 20,
                            p.flush_bytes >> 20);
    }
    return text + "\n";
}

// The rest of a configuration, without variant, n, type and quantity.
std::string how(const Configuration& c) {
    std::string text;
    if (c.block != 0) {
        text += fmt::format("B={} ", c.block);
    }
    if (c.grid != 0) {
        text += fmt::format("grid={} ", c.grid);
    }
    if (!is_known_peer(c.variant)) {
        text += fmt::format("{} ", name(c.finish));
    }
    for (const auto& [key, value] : c.parameters) {
        text += value == 0 ? "" : fmt::format("{}={} ", key, value);
    }
    text.resize(text.empty() ? 0 : text.size() - 1);
    return text;
}

// The peer that shows how fast memory allows this work to be.
std::string_view peak_of(const Configuration& c) {
    const bool writes = is_known_peer(c.variant) ? c.variant == kVendorScan || c.variant == kCopy
                                                 : find_strategy(c.variant) != nullptr && traffic(c).written > 0;
    return writes ? kCopy : kRead;
}

// Groups kernels that do the same work.
std::string work_of(const Configuration& c) {
    if (c.variant == kRead || c.variant == kCopy) {
        return "by copy and read";
    }
    const StrategyInfo* info = find_strategy(c.variant);
    if (c.variant != kVendorScan && (info == nullptr || !is_scan(*info))) {
        return std::string(name(c.op));
    }
    const auto exclusive = c.parameters.find("exclusive");
    return exclusive != c.parameters.end() && exclusive->second != 0 ? "exclusive scan" : "inclusive scan";
}

// What the peers reached in the series.
struct Peaks {
    explicit Peaks(const Series& s) : read(measured_peak(s, kRead)), copy(measured_peak(s, kCopy)) {}
    std::optional<double> of(const Configuration& c) const { return peak_of(c) == kCopy ? copy : read; }
    std::optional<double> read, copy;
};

std::string percent(double share) { return share > 0 ? fmt::format("{:.1f}", 100 * share) : ""; }

std::string row(const Point& p, const Series& s, const Peaks& peaks) {
    const Summary m = summarize(p.samples);
    const double us = 1e6;
    std::string text = fmt::format("  {:<20} {:<30} {:<5} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>7.2f} {:>6}",
                                   p.what.variant, how(p.what), name(p.what.mode), us * m.median, us * m.minimum,
                                   us * m.lower_quartile, us * m.upper_quartile, 100 * m.noise, m.count);
    if (const auto rate = bytes_per_second_of(p)) {
        const auto most = peaks.of(p.what);
        text += fmt::format(" {:>9.1f} {:>7} {:>9}", 1e-9 * *rate, percent(share_of_peak(p, s.provenance).value_or(0)),
                            most ? percent(*rate / *most) : "");
    }
    if (p.stop == Stop::time_limit) {
        text += "  " + p.remark;
    } else if (p.stop == Stop::cancelled) {
        text += "  stopped early";
    }
    return text + "\n";
}
} // namespace

std::string to_text(const Series& series) {
    std::string text = where(series);
    const Peaks peaks(series);
    using Group = std::tuple<ElementType, std::uint64_t, std::string, Quantity>;
    const auto group_of = [](const Configuration& c) { return Group{c.type, c.n, work_of(c), c.quantity}; };
    std::vector<Group> groups;
    for (const Point& p : series.points) {
        if (std::find(groups.begin(), groups.end(), group_of(p.what)) == groups.end()) {
            groups.push_back(group_of(p.what));
        }
    }
    for (const Group& g : groups) {
        bool headed = false;
        for (const Point& p : series.points) {
            if (group_of(p.what) != g || p.samples.empty()) {
                continue;
            }
            if (!headed) {
                headed = true;
                text +=
                    fmt::format("\n{} {} {}, {}\n  {:<20} {:<30} {:<5} {:>10} {:>10} {:>10} {:>10} {:>7} {:>6} {:>9} "
                                "{:>7} {:>9}\n",
                                count_text(p.what.n), name(p.what.type), std::get<std::string>(g),
                                name(p.what.quantity), "", "", "", "median us", "minimum", "quartile", "quartile",
                                "noise %", "count", "GB/s", "% peak", "% meas.");
            }
            text += row(p, series, peaks);
        }
    }
    std::string skipped;
    for (const Point& p : series.points) {
        if (!p.skipped.empty()) {
            skipped += fmt::format("  {} {} {} {}: {}\n", p.what.variant, count_text(p.what.n), name(p.what.type),
                                   how(p.what), p.skipped);
        }
    }
    return skipped.empty() ? text : text + "\nnot measured:\n" + skipped;
}

std::vector<Row> all_rows(const Series& series) {
    std::vector<Row> all;
    const Peaks peaks(series);
    for (const Point& p : series.points) {
        Row r;
        r.point = &p;
        r.seconds = seconds_of(p);
        if (!p.samples.empty()) {
            r.summary = summarize(p.samples);
        }
        r.bytes_per_second = bytes_per_second_of(p);
        r.elements_per_second = elements_per_second_of(p);
        r.share = share_of_peak(p, series.provenance);
        const auto most = peaks.of(p.what);
        if (most && r.bytes_per_second) {
            r.share_measured = *r.bytes_per_second / *most;
        }
        all.push_back(r);
    }
    return all;
}

std::string to_markdown(const Series& series) {
    const std::vector<Row> all = all_rows(series);
    std::vector<std::pair<std::string, std::vector<Row>>> groups;
    for (const Row& r : all) {
        const Configuration& c = r.point->what;
        const std::string title =
            fmt::format("{} {} {}, {}, {}", count_text(c.n), name(c.type), work_of(c), name(c.mode), name(c.quantity));
        auto it = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == title; });
        if (it == groups.end()) {
            it = groups.insert(groups.end(), {title, {}});
        }
        it->second.push_back(r);
    }
    std::string text;
    for (const auto& [title, rows] : groups) {
        text += fmt::format("{}### {}\n\n{}", text.empty() ? "" : "\n", title,
                            to_markdown(std::span(&series, 1), std::span(rows)));
    }
    return text;
}

} // namespace warptree::timing
