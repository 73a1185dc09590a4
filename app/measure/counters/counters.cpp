#include "app/measure/counters/counters.hpp"

#include "app/catalogue/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace warptree::counters {

std::span<const CounterField> compared_fields() {
    static constexpr std::array fields{
        CounterField{"shared_load_requests", &Counters::shared_load_requests},
        CounterField{"shared_load_wavefronts", &Counters::shared_load_wavefronts},
        CounterField{"shared_store_requests", &Counters::shared_store_requests},
        CounterField{"shared_store_wavefronts", &Counters::shared_store_wavefronts},
        CounterField{"global_load_requests", &Counters::global_load_requests},
        CounterField{"global_load_sectors", &Counters::global_load_sectors},
        CounterField{"global_store_requests", &Counters::global_store_requests},
        CounterField{"global_store_sectors", &Counters::global_store_sectors},
    };
    return fields;
}

RunOptions options_of(std::string_view strategy, std::uint64_t n, std::uint32_t block, ElementType type) {
    RunOptions o;
    o.strategy = strategy;
    o.n = n;
    o.block = block;
    o.type = type;
    o.input = InputKind::random;
    o.backend = Backend::cpu;
    o.window = {0, 0};
    const StrategyInfo* info = find_strategy(strategy);
    const auto allowed = info == nullptr ? std::vector<Finish>{} : info->finishes;
    if (std::find(allowed.begin(), allowed.end(), Finish::host) != allowed.end()) {
        o.finish = Finish::host;
    }
    return o;
}

Prediction predict(const Trace& trace) {
    Prediction p;
    if (trace.launches.empty()) {
        return p;
    }
    const Launch& launch = trace.launches.front();
    const Counters totals = launch.totals();
    for (const CounterField& field : compared_fields()) {
        p.counters.*field.member = totals.*field.member;
    }
    p.grid = launch.grid;
    std::uint64_t lanes = 0;
    std::uint64_t warps = 0;
    for (const Step& step : launch.steps) {
        if (step.kind == StepKind::stage) {
            lanes += step.counters.active_threads;
            warps += step.counters.active_warps;
        }
    }
    p.lanes = warps == 0 ? 0 : static_cast<double>(lanes) / static_cast<double>(warps);
    return p;
}

std::string how_compiled(const Row& row) {
    const std::string lanes = fmt::format("{:.1f} of 32 lanes on", row.predicated_on_lanes);
    if (row.divergent_branches != 0) {
        return fmt::format("branches: {} of them diverged, {}", row.divergent_branches, lanes);
    }
    if (row.predicated_on_lanes + 0.05 < row.active_lanes) {
        return fmt::format("predicates: no branch diverged, {}", lanes);
    }
    return fmt::format("neither predicates nor diverges, {}", lanes);
}

std::string headline(const Row& row) {
    const bool shared = row.predicted.shared_load_requests + row.predicted.shared_store_requests != 0;
    const std::uint64_t predicted = shared
                                        ? row.predicted.shared_load_wavefronts + row.predicted.shared_store_wavefronts
                                        : row.predicted.global_load_sectors + row.predicted.global_store_sectors;
    const std::uint64_t counted = shared ? row.counted.shared_load_wavefronts + row.counted.shared_store_wavefronts
                                         : row.counted.global_load_sectors + row.counted.global_store_sectors;
    return fmt::format("{} predicted {}, counted {}", shared ? "wavefronts" : "sectors", predicted, counted);
}

const Row* nearest(const Recording& recording, std::string_view strategy, std::uint32_t block, ElementType type) {
    const Row* best = nullptr;
    std::uint64_t least = 0;
    for (const Row& row : recording.rows) {
        if (row.strategy != strategy) {
            continue;
        }
        // A different element size changes more than a different block.
        const auto apart = static_cast<std::uint64_t>(
            std::abs(static_cast<int>(std::bit_width(row.block)) - static_cast<int>(std::bit_width(block))));
        const std::uint64_t away = (bytes(row.type) == bytes(type) ? 0 : 1000) + (row.type == type ? 0 : 100) + apart;
        if (best == nullptr || away < least) {
            best = &row;
            least = away;
        }
    }
    return best;
}

} // namespace warptree::counters
