#include "kernels/timing/listing.hpp"

#include "kernels/timing/launches.hpp"
#include "kernels/timing/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>
#include <vector>

namespace warptree::timing {

namespace {
std::string where(const Series& s) {
    const Provenance& p = s.provenance;
    std::string text = s.name;
    if (!p.compute_capability.empty()) {
        text += fmt::format(", cc {}, {} SMs", p.compute_capability, p.multiprocessors);
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

// Beyond variant, n, type and quantity.
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

std::string percent(double share) { return share > 0 ? fmt::format("{:.1f}", 100 * share) : ""; }

std::string row(const Point& p, const Series& s) {
    const Summary m = summarize(p.samples);
    const double us = 1e6;
    std::string text = fmt::format("  {:<20} {:<30} {:<5} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>7.2f} {:>6}",
                                   p.what.variant, how(p.what), name(p.what.mode), us * m.median, us * m.minimum,
                                   us * m.lower_quartile, us * m.upper_quartile, 100 * m.noise, m.count);
    if (const auto rate = bytes_per_second_of(p)) {
        const bool copies = traffic(p.what).written > 0;
        const auto most = measured_peak(s, copies ? kCopy : kRead);
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

std::string size_text(std::uint64_t n) {
    return n >= 1024 && std::has_single_bit(n) ? fmt::format("2^{}", std::countr_zero(n)) : fmt::format("{}", n);
}

std::string to_text(const Series& series) {
    std::string text = where(series);
    using Group = std::tuple<ElementType, std::uint64_t, Operator, Quantity>;
    const auto group_of = [](const Configuration& c) { return Group{c.type, c.n, c.op, c.quantity}; };
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
                text += fmt::format(
                    "\n{} {} {}, {}\n  {:<20} {:<30} {:<5} {:>10} {:>10} {:>10} {:>10} {:>7} {:>6} {:>9} "
                    "{:>7} {:>9}\n",
                    size_text(p.what.n), name(p.what.type), name(p.what.op), name(p.what.quantity), "", "", "",
                    "median us", "minimum", "quartile", "quartile", "noise %", "count", "GB/s", "% peak", "% meas.");
            }
            text += row(p, series);
        }
    }
    std::string skipped;
    for (const Point& p : series.points) {
        if (!p.skipped.empty()) {
            skipped += fmt::format("  {} {} {} {}: {}\n", p.what.variant, size_text(p.what.n), name(p.what.type),
                                   how(p.what), p.skipped);
        }
    }
    return skipped.empty() ? text : text + "\nnot measured:\n" + skipped;
}

} // namespace warptree::timing
