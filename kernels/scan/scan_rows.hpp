// A warp's scan of the vectors its lanes hold, in rows of 32: lane l has vector l of each row.
#pragma once

#include "kernels/simt/simt.hpp"
#include "kernels/simt/vector.hpp"

namespace warptree {

// R rows of vectors of V elements: each vector, each row, and the rows one after another. Returns the warp's total.
template <class Probe, class Value, unsigned V, unsigned R>
WARPTREE_KERNEL Value scan_rows(Probe probe, Vector<Value, V> (&v)[R]) {
    const unsigned lane = probe.lane();
    for (unsigned k = 1; k < V; ++k) {
        probe.stage(k, Phase::batch);
        for (unsigned r = 0; r < R; ++r) {
            v[r][k] = probe.combine(v[r][k - 1], v[r][k]);
        }
    }
    Value row[R];
    for (unsigned r = 0; r < R; ++r) {
        row[r] = v[r][V - 1];
    }
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        probe.stage(delta, Phase::warps);
        for (unsigned r = 0; r < R; ++r) {
            const auto below = probe.shuffle_up(row[r], delta);
            if (const auto taken = probe.branch(lane >= delta)) {
                row[r] = probe.combine(below, row[r]);
            }
        }
    }
    Value total = probe.shuffle_index(row[0], 31); // of the rows so far
    if constexpr (V == 1 && R == 1) {
        v[0][0] = row[0];
    } else {
        probe.stage(R, Phase::add_to_batch);
        for (unsigned r = 0; r < R; ++r) {
            auto before = probe.shuffle_up(row[r], 1);
            if (r > 0) {
                if (const auto taken = probe.branch(lane == 0)) {
                    before = total;
                } else {
                    before = probe.combine(total, before);
                }
                total = probe.combine(total, probe.shuffle_index(row[r], 31));
            }
            if (const auto taken = probe.branch(r > 0 || lane > 0)) {
                for (unsigned k = 0; k < V; ++k) {
                    v[r][k] = probe.combine(before, v[r][k]);
                }
            }
        }
    }
    return total;
}

// Adds `before` to all of them. Exclusive: and moves them up by one, with `before` as the first.
template <class Probe, class Value, unsigned V, unsigned R>
WARPTREE_KERNEL void add_before_rows(Probe probe, Value before, bool exclusive, Vector<Value, V> (&v)[R]) {
    for (unsigned r = 0; r < R; ++r) {
        for (unsigned k = 0; k < V; ++k) {
            v[r][k] = probe.combine(before, v[r][k]);
        }
    }
    if (exclusive) {
        for (unsigned r = 0; r < R; ++r) {
            const auto end = v[r][V - 1];
            auto below = probe.shuffle_up(end, 1);
            if (const auto taken = probe.branch(probe.lane() == 0)) {
                below = before;
            }
            for (unsigned k = V - 1; k > 0; --k) {
                v[r][k] = v[r][k - 1];
            }
            v[r][0] = below;
            before = probe.shuffle_index(end, 31);
        }
    }
}

} // namespace warptree
