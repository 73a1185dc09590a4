#pragma once

#include "kernels/simt/simt.hpp"

#include <string>

namespace warptree {

struct HandOff {
    static constexpr Parameter kParameters[] = {{.name = "stop-at",
                                                 .help = "values a block hands to the next launch",
                                                 .least = 32,
                                                 .most = 128,
                                                 .fallback = 32,
                                                 .power_of_two = true}};
    static constexpr StrategyInfo info{
        .id = "hand-off",
        .title = "Hand off the last values",
        .family = Family::shared_memory,
        .lesson = "The tree of first-add, stopped early: when --stop-at partial values are left (32 by default, one "
                  "warp's), their threads write them all out and the next launch continues from there. No block "
                  "runs with a single active lane, and the last five stages with their barriers are not paid in "
                  "every block; the price is that a launch leaves 32 partials a block instead of one.",
        .result = "Threads 0 to stop-at - 1, in s[t]: each writes one partial.",
        .blocks = {.least = 32, .most = 1024, .power_of_two = true, .multiple = 1},
        .default_block = 256,
        .elements_per_thread = 2,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "reduce/hand_off.hpp",
        .parameters = kParameters,
        .outputs_per_block = [](const Geometry& g) { return g.arguments[0]; },
        .refusal = [](const RunOptions&, const Geometry& g) -> std::optional<std::string> {
            if (g.arguments[0] <= g.block) {
                return std::nullopt;
            }
            return "hand-off with a block of " + std::to_string(g.block) + " has fewer threads than the " +
                   std::to_string(g.arguments[0]) +
                   " values it is to stop at; take a larger --block or a smaller --stop-at";
        }};

    static constexpr std::uint32_t shared_elements(std::uint32_t block) { return block; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        const unsigned B = probe.block_size();
        const unsigned t = probe.thread();
        const unsigned stop_at = probe.argument(0);
        auto s = probe.shared(B);

        const Index i = probe.block() * (2 * B) + t;
        const auto first = probe.load(in, i, n);
        const auto second = probe.load(in, i + B, n);
        s[t] = probe.combine(first, second);
        probe.barrier();

        for (unsigned stride = B / 2; stride >= stop_at; stride /= 2) {
            probe.stage(stride);
            if (const auto taken = probe.branch(t < stride)) {
                s[t] = probe.combine(s[t], s[t + stride]);
            }
            probe.barrier();
        }

        probe.store();
        if (const auto taken = probe.branch(t < stop_at)) {
            probe.put(out, probe.block() * stop_at + t, s[t]);
        }
    }
};

} // namespace warptree
