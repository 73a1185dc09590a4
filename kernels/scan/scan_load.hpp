// What the scans share: their parameter, and how an exclusive scan loads.
#pragma once

#include "kernels/simt/simt.hpp"

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

} // namespace warptree
