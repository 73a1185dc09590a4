// Sums that do not round, of numbers whose exponents are near one another: integers of 128 bits, times a power of two.
#pragma once

#include "flagged.cuh"

constexpr bool narrow = sizeof(T) == 4;
constexpr int mantissa = narrow ? 24 : 53;          // bits
constexpr int least_number = narrow ? -149 : -1074; // its exponent
constexpr Word infinity = narrow ? Word(0x7F800000) : Word(0x7FF0000000000000);
constexpr Word sign_bit = ~(Word(-1) >> 1);

__device__ __forceinline__ unsigned bits_of(float x) { return __float_as_uint(x); }
__device__ __forceinline__ unsigned long long bits_of(double x) { return __double_as_longlong(x); }
__device__ __forceinline__ float number_of(unsigned bits) { return __uint_as_float(bits); }
__device__ __forceinline__ double number_of(unsigned long long bits) { return __longlong_as_double(bits); }

// The mantissa of a number and the power of two that it is multiplied with.
struct Scaled {
    unsigned long long m;
    int exponent; // of the last bit of m
};

__device__ __forceinline__ Scaled scaled(double x) {
    const unsigned long long word = bits_of(x);
    const int exponent = int(word >> 52 & 0x7FF);
    return {(word & ((1ull << 52) - 1)) | (unsigned long long)(exponent != 0) << 52, max(exponent, 1) - 1075};
}

// (high * 2^64 + low) * 2^unit. Below a double's 53 bits are 38 for others whose exponents are less, and above them, beside the
// sign, 36 for sums: a block's needs 11, as up to 512 threads have up to four doubles, and a grid's 16 more.
constexpr int bits_below = 38;
constexpr int no_unit = -8192; // of 0, below all others
struct Fixed {
    unsigned long long low;
    long long high;
    int unit;
};
__device__ __forceinline__ Fixed zero() { return {0, 0, no_unit}; }

__device__ __forceinline__ Fixed fixed(double x) {
    const Scaled s = scaled(x);
    const long long m = x < 0 ? -(long long)s.m : (long long)s.m;
    return {(unsigned long long)m << bits_below, m >> (64 - bits_below), m != 0 ? s.exponent - bits_below : no_unit};
}

__device__ __forceinline__ Fixed fixed(const Fixed& x) { return x; }

// Adds x to a sum whose unit is not less. Returns false, and adds nothing, if bits of x would be lost.
__device__ __forceinline__ bool add(Fixed& sum, Fixed x) {
    unsigned shift = unsigned(sum.unit - x.unit);
    bool lost = false;
    if (shift >= 64) {
        lost = x.low != 0;
        x.low = x.high;
        x.high >>= 63;
        shift = min(shift - 64, 63u);
    }
    lost |= (x.low & ((1ull << shift) - 1)) != 0;
    if (lost)
        return false;
    x.low = x.low >> shift | (unsigned long long)x.high << 1 << (63 - shift);
    sum.low += x.low;
    sum.high += (x.high >> shift) + (sum.low < x.low);
    return true;
}

__device__ __forceinline__ int most_of_lanes(int v) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(0xFFFFFFFF, v);
#else
    for (unsigned width = 16; width > 0; width /= 2)
        v = max(v, __shfl_xor_sync(0xFFFFFFFF, v, width));
    return v;
#endif
}

__device__ __forceinline__ unsigned sum_of_lanes(unsigned v) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xFFFFFFFF, v);
#else
    for (unsigned width = 16; width > 0; width /= 2)
        v += __shfl_xor_sync(0xFFFFFFFF, v, width);
    return v;
#endif
}

__device__ __forceinline__ unsigned or_of_lanes(unsigned v) {
#if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(0xFFFFFFFF, v);
#else
    for (unsigned width = 16; width > 0; width /= 2)
        v |= __shfl_xor_sync(0xFFFFFFFF, v, width);
    return v;
#endif
}

// (high * 2^64 + low) * 2^unit, which is not 0, rounded to the nearest number, ties to even.
__device__ __forceinline__ T rounded(bool negative, unsigned long long high, unsigned long long low, int unit) {
    const int top = high != 0 ? 127 - __clzll(high) : 63 - __clzll(low);
    const int exponent = max(top + unit - (mantissa - 1), least_number); // of the mantissa's last bit
    const int left_out = exponent - unit;                                // bits below that
    Word word;
    if (left_out <= 0)
        word = Word(low << -left_out);
    else {
        unsigned shift = left_out - 1; // the last of these bits decides
        bool below = false;
        if (shift >= 128) {
            high = low = 0; // less than half of the least number
            shift = 0;
        }
        if (shift >= 64) {
            below = low != 0;
            low = high;
            high = 0;
            shift -= 64;
        }
        below |= (low & ((1ull << shift) - 1)) != 0;
        const unsigned long long bits = low >> shift | high << 1 << (63 - shift);
        const bool up = bits & 1 && (below || bits & 2);
        word = Word(bits >> 1) + up;
    }
    // The mantissa with its leading 1 makes the exponent one more than the bits left out, and rounding up to a power of two one
    // more still.
    word = min(word + (Word(exponent - least_number) << (mantissa - 1)), infinity);
    if (negative)
        word |= sign_bit;
    return number_of(word);
}
