// A value and its flag in one word, written and read as a whole: a thread that sees the flag also sees the value,
// without a fence.
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

template <unsigned bytes> struct WordOf { using type = unsigned; };
template <> struct WordOf<8> { using type = unsigned long long; };
using Word = WordOf<sizeof(T)>::type;

// A load that sees what other blocks store in the meantime. __ldcv does not do: the compiler may assume that a loop
// around it ends after one iteration, and does.
__device__ __forceinline__ void load_relaxed(const void* word, unsigned& x, unsigned& y) {
    asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(word) : "memory");
}
__device__ __forceinline__ void load_relaxed(const void* word, unsigned long long& x, unsigned long long& y) {
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(word) : "memory");
}

__device__ __forceinline__ Flagged ask(const Flagged* word) {
    Flagged seen;
    load_relaxed(word, reinterpret_cast<Word&>(seen.x), reinterpret_cast<Word&>(seen.y));
    return seen;
}

// Waits until the flag is set and returns the value.
__device__ __forceinline__ Flagged wait_for(const Flagged* word) {
    Flagged seen;
    do
        seen = ask(word);
    while (seen.y == T(0));
    return seen;
}

// The next number, of at most `most`, for one thread, which continues until it needs it. With atomicAdd it would wait
// at once: the compiler aggregates the atomicAdds of a warp and distributes the numbers by shuffles.
__device__ __forceinline__ unsigned draw(unsigned* drawn, unsigned most) { return atomicInc(drawn, most); }
