// Goldens recorded with an older version of the trace format.
#pragma once

#include "app/trace/model/trace.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <tuple>
#include <vector>

namespace warptree::tests {

// Whether the golden is of version 2. load() has identified products and the padding of its blocks as far as possible.
inline bool is_of_version_2(const Trace& golden) { return golden.sources.empty(); }

// The kernels whose last warp loads s[t] before its steps: up to version 2 in the step before, now in its first step.
inline bool loads_late(std::string_view strategy) {
    constexpr std::array ids{"unroll-last-warp", "unroll-complete", "multiple-adds"};
    return std::find(ids.begin(), ids.end(), strategy) != ids.end();
}

// Moves that load, the last shared load of warp 0 in its step, to the front of the next step.
inline void move_load_of_last_warp(Launch& launch) {
    const auto found = std::find_if(launch.steps.begin() + 1, launch.steps.end(), [&](const Step& s) {
        return s.kind == StepKind::stage && s.stride == std::min(32U, launch.block / 2);
    });
    if (launch.block < 2 || found == launch.steps.end()) {
        return;
    }
    const auto to = static_cast<std::uint16_t>(found - launch.steps.begin());
    for (std::uint32_t block = launch.window_first; block < launch.window_first + launch.window_count; ++block) {
        Request* moved = nullptr;
        for (Request& r : launch.requests) {
            if (r.block == block && r.warp == 0 && r.step + 1 == to && r.kind == AccessKind::shared_load) {
                moved = &r;
            }
            r.ordinal += r.block == block && r.warp == 0 && r.step == to && r.path == 0 ? 1 : 0;
        }
        if (moved == nullptr) {
            continue;
        }
        moved->step = to;
        moved->path = moved->ordinal = 0;
        if (block == launch.window_first) { // the same in all blocks
            for (const auto& [member, count] : {std::pair{&Counters::shared_load_requests, 1U},
                                                {&Counters::shared_load_wavefronts, unsigned{moved->wavefronts}},
                                                {&Counters::shared_load_ideal, unsigned{moved->ideal}}}) {
                launch.steps[to - 1U].counters.*member -= std::uint64_t{launch.grid} * count;
                launch.steps[to].counters.*member += std::uint64_t{launch.grid} * count;
            }
        }
    }
    std::stable_sort(launch.requests.begin(), launch.requests.end(), [](const Request& a, const Request& b) {
        return std::tuple(a.block, a.step, a.warp, a.path, a.ordinal) <
               std::tuple(b.block, b.step, b.warp, b.path, b.ordinal);
    });
    std::vector<std::uint32_t> indices;
    for (Request& r : launch.requests) {
        const auto first = launch.indices.begin() + r.first_index;
        r.first_index = static_cast<std::uint32_t>(indices.size());
        indices.insert(indices.end(), first, first + std::popcount(r.mask));
    }
    launch.indices = indices;
}

// Removes from both what version 2 does not record: padding in the counters of blocks beyond the window, and in the
// tree.
inline void compare_as_version_2(Trace& golden, Trace& other) {
    for (Trace* trace : {&golden, &other}) {
        for (Launch& launch : trace->launches) {
            for (Step& step : launch.steps) {
                if (launch.window_count != launch.grid) {
                    step.counters.useful_combines = step.counters.padding_combines = 0;
                }
            }
        }
        trace->tree.useful_combines = trace->tree.padding_combines = 0;
    }
    if (loads_late(golden.options.strategy)) {
        std::for_each(golden.launches.begin(), golden.launches.end(), move_load_of_last_warp);
    }
}

} // namespace warptree::tests
