#include "app/features/compare/compare_timing.hpp"

#include "app/measure/timing/statistics.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace warptree::scene {

namespace {

using Condition = std::tuple<std::uint64_t, std::uint32_t, timing::Mode, timing::Quantity>;
} // namespace

std::size_t MeasuredTimes::known() const {
    return static_cast<std::size_t>(
        std::count_if(seconds.begin(), seconds.end(), [](const auto& s) { return s.has_value(); }));
}

MeasuredTimes measured_times(std::span<const ComparedTrace> columns, const timing::Series& series) {
    std::map<Condition, MeasuredTimes> all;
    for (const timing::Point& p : series.points) {
        const auto seconds = timing::seconds_of(p);
        if (!seconds || p.what.quantity == timing::Quantity::launch) {
            continue;
        }
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const RunOptions& o = columns[c].trace->options;
            if (o.strategy != p.what.variant || o.type != p.what.type || o.op != p.what.op || o.banks != 32) {
                continue;
            }
            MeasuredTimes& times = all[{p.what.n, p.what.block, p.what.mode, p.what.quantity}];
            times.seconds.resize(columns.size());
            times.seconds[c] = std::min(times.seconds[c].value_or(*seconds), *seconds);
        }
    }
    const std::uint32_t wanted = columns.empty() ? 0 : columns.front().trace->block();
    const auto rank = [&](const auto& entry) {
        const auto& [n, block, mode, quantity] = entry.first;
        return std::tuple(entry.second.known(), quantity == timing::Quantity::kernel, block == wanted, n,
                          mode == timing::Mode::cold);
    };
    const auto best =
        std::max_element(all.begin(), all.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    if (best == all.end()) {
        return {"", 0, std::vector<std::optional<double>>(columns.size())};
    }
    const auto& [n, block, mode, quantity] = best->first;
    MeasuredTimes times = best->second;
    times.n = n;
    times.where =
        fmt::format("{}: n = {}{}{}{}", series.name, grouped(n), block != 0 ? fmt::format(", B = {}", block) : "",
                    mode == timing::Mode::unstated ? "" : fmt::format(", {}", name(mode)),
                    quantity == timing::Quantity::pipeline ? ", with copy and host" : "");
    return times;
}

const timing::Series* fitting_series(std::span<const ComparedTrace> columns, std::span<const timing::Series> all) {
    const timing::Series* best = nullptr;
    std::size_t most = 0;
    for (const timing::Series& series : all) {
        if (const std::size_t known = measured_times(columns, series).known(); known > most) {
            most = known;
            best = &series;
        }
    }
    return best;
}

} // namespace warptree::scene
