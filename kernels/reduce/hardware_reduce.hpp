#pragma once

#include "kernels/simt/simt.hpp"

namespace warptree {

struct HardwareReduce {
    static constexpr StrategyInfo info{
        .id = "hardware-reduce",
        .title = "Reduction by one instruction",
        .family = Family::shuffle_atomic,
        .lesson = "Since compute capability 8.0 a warp's 32 lanes are combined by one instruction, "
                  "__reduce_add_sync and its like for min, max and xor, on 32-bit integers only: five shuffles and "
                  "five combines become one. Otherwise block-shuffle: lane 0 of each warp writes to a shared slot, "
                  "and the first warp reduces the slots. What the instruction does inside is not told; the tree "
                  "drawn for it is one that would do.",
        .result = "Thread 0, in a register.",
        .blocks = {.least = 32, .most = 1024, .power_of_two = false, .multiple = 32},
        .default_block = 256,
        .elements_per_thread = 1,
        .max_grid = 0,
        .finishes_atomically = false,
        .source = "reduce/hardware_reduce.hpp",
        .words_only = true};

    static constexpr std::uint32_t shared_elements(std::uint32_t) { return 32; }

    template <class Probe>
    WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n) {
        using Value = typename Probe::Value;
        const unsigned t = probe.thread();
        const unsigned warps = probe.block_size() / 32;
        auto s = probe.shared(32);

        Value v = probe.load(in, probe.block() * probe.block_size() + t, n);
        probe.stage(32);
        v = probe.reduce_lanes(v);
        if (const auto taken = probe.branch(t % 32 == 0)) {
            s[t / 32] = v;
        }
        probe.barrier();

        if (const auto taken = probe.branch(t < 32)) {
            v = probe.identity();
            if (const auto taken = probe.branch(t < warps)) {
                v = s[t];
            }
            probe.stage(1);
            v = probe.reduce_lanes(v);
        }

        probe.store();
        if (const auto taken = probe.branch(t == 0)) {
            probe.emit(out, v);
        }
    }
};

} // namespace warptree
