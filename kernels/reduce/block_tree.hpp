// The tree of a block whose size is known at compile time: stages that the size does not need are not compiled.
#pragma once
#include "kernels/simt/simt.hpp"

namespace warptree {

// Shared words the tree needs: every lane of the last warp reads up to B / 2 words past its own.
constexpr std::uint32_t block_tree_words(std::uint32_t block) { return block <= 32 ? 2 * block : block; }

// One step of several warps, between barriers.
template <unsigned Stride, class Probe, class Shared>
WARPTREE_KERNEL void block_stage(Probe probe, Shared s, unsigned t) {
    probe.stage(Stride);
    if (const auto taken = probe.branch(t < Stride)) {
        s[t] = probe.combine(s[t], s[t + Stride]);
    }
    probe.barrier();
}

// One step of the last warp, which all its lanes take. The first has begun where the lanes load `v`.
template <unsigned Stride, unsigned First, class Probe, class Shared, class Value>
WARPTREE_KERNEL void warp_stage(Probe probe, Shared s, unsigned t, Value& v) {
    if constexpr (Stride != First) {
        probe.stage(Stride);
    }
    v = probe.combine(v, s[t + Stride]);
    probe.warp_barrier();
    s[t] = v;
    probe.warp_barrier();
}

// Reduces s[0] … s[B - 1], which the calling threads have just written, into s[0]; thread 0 may read it.
template <unsigned B, class Probe, class Shared> WARPTREE_KERNEL void block_tree(Probe probe, Shared s, unsigned t) {
    if constexpr (B <= 32 && B > 1) {
        s[t + B] = probe.identity(); // what the last lanes read
    }
    probe.barrier();

    if constexpr (B >= 1024) {
        block_stage<512>(probe, s, t);
    }
    if constexpr (B >= 512) {
        block_stage<256>(probe, s, t);
    }
    if constexpr (B >= 256) {
        block_stage<128>(probe, s, t);
    }
    if constexpr (B >= 128) {
        block_stage<64>(probe, s, t);
    }

    if (const auto taken = probe.branch(B > 1 && t < 32)) {
        constexpr unsigned first = B >= 64 ? 32 : B / 2;
        probe.stage(first);
        typename Probe::Value v = s[t];
        if constexpr (B >= 64) {
            warp_stage<32, first>(probe, s, t, v);
        }
        if constexpr (B >= 32) {
            warp_stage<16, first>(probe, s, t, v);
        }
        if constexpr (B >= 16) {
            warp_stage<8, first>(probe, s, t, v);
        }
        if constexpr (B >= 8) {
            warp_stage<4, first>(probe, s, t, v);
        }
        if constexpr (B >= 4) {
            warp_stage<2, first>(probe, s, t, v);
        }
        if constexpr (B >= 2) {
            warp_stage<1, first>(probe, s, t, v);
        }
    }
}

} // namespace warptree
