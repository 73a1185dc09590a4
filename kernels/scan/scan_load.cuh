// How the scans load.
#pragma once

#include "reduction.cuh"

// Element i of a tile that begins at `first`. An exclusive scan is the inclusive one of the elements moved up by one, with
// the identity before the first.
template <bool exclusive> __device__ __forceinline__ T scan_load(const T* in, unsigned i, unsigned first, unsigned n) {
    if constexpr (exclusive)
        return i > first && i - 1 < n ? map(in[i - 1]) : identity;
    else
        return i < n ? map(in[i]) : identity;
}
