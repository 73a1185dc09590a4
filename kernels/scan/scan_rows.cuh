// A warp's scan of the elements that its lanes hold, in R rows: lane l has V neighbouring elements of each row.
#pragma once

#include "reduction.cuh"

// The elements of each lane, the lanes of each row, and the rows one after another. Returns the warp's total.
template <unsigned R, unsigned V> __device__ __forceinline__ T scan_rows(T (&v)[R][V]) {
    const unsigned lane = threadIdx.x % 32;
    for (unsigned k = 1; k < V; ++k)
        for (unsigned r = 0; r < R; ++r)
            v[r][k] = op(v[r][k - 1], v[r][k]);

    T row[R];
    for (unsigned r = 0; r < R; ++r)
        row[r] = v[r][V - 1];
    // step: A: Each warp scans its lanes.
    for (unsigned offset = 1; offset < 32; offset *= 2)
        for (unsigned r = 0; r < R; ++r) {
            const T below = __shfl_up_sync(0xFFFFFFFF, row[r], offset);
            if (lane >= offset)
                row[r] = op(below, row[r]);
        }

    T total = __shfl_sync(0xFFFFFFFF, row[0], 31); // of the rows so far
    if constexpr (R == 1 && V == 1) {
        v[0][0] = row[0];
        return total;
    }
    // one step: rows: What stands before a row is added to it.
    for (unsigned r = 0; r < R; ++r) {
        T before = __shfl_up_sync(0xFFFFFFFF, row[r], 1); // what stands before the lane's elements
        if (r > 0) {
            before = lane == 0 ? total : op(total, before);
            total = op(total, __shfl_sync(0xFFFFFFFF, row[r], 31));
        }
        if (r > 0 || lane > 0)
            for (unsigned k = 0; k < V; ++k)
                v[r][k] = op(before, v[r][k]);
    }
    return total;
}

// Adds `before` to all of them. Exclusive: and moves them up by one, with `before` as the first.
template <bool exclusive, unsigned R, unsigned V>
__device__ __forceinline__ void add_before_rows(T before, T (&v)[R][V]) {
    // one step: add prefix: Threads add what stands before their tile.
    for (unsigned r = 0; r < R; ++r)
        for (unsigned k = 0; k < V; ++k)
            v[r][k] = op(before, v[r][k]);
    if constexpr (exclusive) {
        for (unsigned r = 0; r < R; ++r) {
            const T end = v[r][V - 1];
            T below = __shfl_up_sync(0xFFFFFFFF, end, 1);
            if (threadIdx.x % 32 == 0)
                below = before;
            for (unsigned k = V - 1; k > 0; --k)
                v[r][k] = v[r][k - 1];
            v[r][0] = below;
            before = __shfl_sync(0xFFFFFFFF, end, 31);
        }
    }
}
