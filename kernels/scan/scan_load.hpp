// What the scans share: their parameter, how an exclusive scan loads, and how a thread loads and stores vectors.
#pragma once

#include "kernels/simt/simt.hpp"
#include "kernels/simt/vector.hpp"

namespace warptree {

inline constexpr Parameter kExclusive{.name = "exclusive",
                                      .help = "leave a thread's own element out",
                                      .least = 0,
                                      .most = 1,
                                      .fallback = 0,
                                      .flag = true};
inline constexpr Parameter kExclusiveOnly[] = {kExclusive};

// Element i of a tile that begins at `first`. An exclusive scan is the inclusive one of the elements moved up by one,
// with the identity before the first.
template <class Probe>
WARPTREE_KERNEL auto scan_load(Probe probe, typename Probe::Input in, Index i, Index first, Index n) {
    if (probe.argument(0) == 0) {
        return probe.load(in, i, n);
    }
    if (i == first) {
        return probe.identity();
    }
    return probe.load(in, i - 1, n);
}

// R vectors of a thread, `stride` apart from vector i on. `whole`: all of the tile's exist. Asked once for all of them, so
// that the loads follow one another.
template <class Probe, class Value, unsigned V, unsigned R>
WARPTREE_KERNEL void load_vectors(Probe probe, typename Probe::Input in, Index i, unsigned stride, Index n, bool whole,
                                  Vector<Value, V> (&v)[R]) {
    if (whole) {
        for (unsigned r = 0; r < R; ++r) {
            v[r] = probe.load_vector(in, i + r * stride);
        }
    } else {
        for (unsigned r = 0; r < R; ++r) {
            v[r] = probe.load_vector(in, i + r * stride, n);
        }
    }
}
template <class Probe, class Value, unsigned V, unsigned R>
WARPTREE_KERNEL void put_vectors(Probe probe, typename Probe::Output out, Index i, unsigned stride, Index n, bool whole,
                                 const Vector<Value, V> (&v)[R]) {
    if (whole) {
        for (unsigned r = 0; r < R; ++r) {
            probe.put_vector(out, i + r * stride, v[r]);
        }
    } else {
        for (unsigned r = 0; r < R; ++r) {
            probe.put_vector(out, i + r * stride, v[r], n);
        }
    }
}

} // namespace warptree
