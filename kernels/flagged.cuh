// A value and its flag in one word, which is written and read at once: whoever sees the flag sees the value, without a
// fence.
#pragma once

#include "reduction.cuh"

__device__ int2 pair_of(int);
__device__ uint2 pair_of(unsigned);
__device__ longlong2 pair_of(long long);
__device__ float2 pair_of(float);
__device__ double2 pair_of(double);

using Flagged = decltype(pair_of(T())); // x is the value, y the flag: 0 until there is one

__device__ __forceinline__ void publish(Flagged* word, T value, T flag) {
    Flagged both;
    both.x = value;
    both.y = flag;
    __stcg(word, both);
}

// Waits for a value.
__device__ __forceinline__ Flagged wait_for(const Flagged* word) {
    Flagged seen;
    do
        seen = __ldcv(word);
    while (seen.y == T(0));
    return seen;
}
