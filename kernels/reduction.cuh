// The parts of a reduction: the element type T, the operator op(a, b) and its identity, map(x), which is applied to
// each element as it is loaded, and atomic_op(to, value), which sets *to to op(*to, value).
//
//   REDUCTION_TYPE      int, unsigned, long long, float or double
//   REDUCTION_OPERATOR  0 sum, 1 product, 2 min, 3 max, 4 xor, 5 sum of squares
#pragma once

#include <limits>

#ifndef REDUCTION_TYPE
#define REDUCTION_TYPE int
#endif
#ifndef REDUCTION_OPERATOR
#define REDUCTION_OPERATOR 0
#endif

using T = REDUCTION_TYPE;
constexpr bool is_integer = std::numeric_limits<T>::is_integer;

#if REDUCTION_OPERATOR == 1
constexpr T identity = 1;
__device__ __forceinline__ T op(T a, T b) { return a * b; }
#elif REDUCTION_OPERATOR == 2
constexpr T identity = is_integer ? std::numeric_limits<T>::max() : std::numeric_limits<T>::infinity();
__device__ __forceinline__ T op(T a, T b) { return b < a ? b : a; }
#elif REDUCTION_OPERATOR == 3
constexpr T identity = is_integer ? std::numeric_limits<T>::lowest() : -std::numeric_limits<T>::infinity();
__device__ __forceinline__ T op(T a, T b) { return a < b ? b : a; }
#elif REDUCTION_OPERATOR == 4
constexpr T identity = 0;
__device__ __forceinline__ T op(T a, T b) { return a ^ b; }
#else
constexpr T identity = 0;
__device__ __forceinline__ T op(T a, T b) { return a + b; }
#endif

#if REDUCTION_OPERATOR == 5
__device__ __forceinline__ T map(T x) { return x * x; }
#else
__device__ __forceinline__ T map(T x) { return x; }
#endif

// For operations without a hardware atomic. Word: an unsigned type of the size of T.
template <class Word> __device__ __forceinline__ void compare_and_swap_op(T* to, T value) {
    Word* const word = reinterpret_cast<Word*>(to);
    Word seen = *const_cast<volatile Word*>(word), expected; // others change it meanwhile
    do {
        expected = seen;
        const T combined = op(reinterpret_cast<const T&>(expected), value);
        seen = atomicCAS(word, expected, reinterpret_cast<const Word&>(combined));
    } while (seen != expected);
}

template <class U> __device__ __forceinline__ void atomic_op(U* to, U value) {
    using Word = unsigned long long;
    constexpr bool wide = sizeof(U) == 8;
#if REDUCTION_OPERATOR == 0 || REDUCTION_OPERATOR == 5
    if constexpr (wide && is_integer)
        atomicAdd(reinterpret_cast<Word*>(to), static_cast<Word>(value));
    else
        atomicAdd(to, value);
#elif REDUCTION_OPERATOR == 4
    if constexpr (wide)
        atomicXor(reinterpret_cast<Word*>(to), static_cast<Word>(value));
    else
        atomicXor(to, value);
#else
    if constexpr (REDUCTION_OPERATOR == 2 && is_integer)
        atomicMin(to, value);
    else if constexpr (REDUCTION_OPERATOR == 3 && is_integer)
        atomicMax(to, value);
    else if constexpr (wide)
        compare_and_swap_op<Word>(to, value);
    else
        compare_and_swap_op<unsigned>(to, value);
#endif
}

// 16 bytes, which a thread loads or stores with one instruction.
struct alignas(16) Vector {
    static constexpr unsigned size = 16 / sizeof(T);
    T v[size];
    __device__ __forceinline__ T& operator[](unsigned k) { return v[k]; }
    __device__ __forceinline__ const T& operator[](unsigned k) const { return v[k]; }
};
