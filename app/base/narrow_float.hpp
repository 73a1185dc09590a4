// Floating-point numbers of 16 bits, as their bits: __half (5 bits of exponent, 10 of fraction) and __nv_bfloat16 (8 and
// 7).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace warptree {

// To the nearest number with that many bits of exponent and fraction, ties to even; beyond the largest: infinity. Every
// NaN becomes 0x7FFF, as on a GPU.
inline std::uint32_t narrowed(double value, int exponent_bits, int fraction_bits) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto sign = static_cast<std::uint32_t>(bits >> 63 << 15);
    const std::uint64_t fraction = bits & ((1ULL << 52) - 1);
    const int biased = static_cast<int>(bits >> 52 & 0x7FF);
    if (biased == 0x7FF && fraction != 0) {
        return 0x7FFFU;
    }
    const std::uint32_t infinity = ((1U << exponent_bits) - 1) << fraction_bits;
    const int exponent = biased - 1023 + (1 << (exponent_bits - 1)) - 1; // in the narrow format; below 1: subnormal
    if (exponent >= (1 << exponent_bits) - 1) {
        return sign | infinity;
    }
    const int dropped = 52 - fraction_bits + (exponent < 1 ? 1 - exponent : 0);
    if (dropped > 54) { // less than half of the smallest
        return sign;
    }
    const std::uint64_t significand = fraction | (biased == 0 ? 0 : 1ULL << 52);
    const std::uint64_t rest = significand & ((1ULL << dropped) - 1), tie = 1ULL << (dropped - 1);
    std::uint64_t kept = significand >> dropped;
    kept += rest > tie || (rest == tie && (kept & 1) != 0) ? 1 : 0;
    // The leading one of a normal number adds 1 to the exponent, as does a carry.
    const std::uint64_t below = exponent < 1 ? 0 : static_cast<std::uint64_t>(exponent - 1) << fraction_bits;
    return sign | static_cast<std::uint32_t>(below + kept);
}

inline std::uint32_t to_half(double value) { return narrowed(value, 5, 10); }
inline std::uint32_t to_bfloat16(double value) { return narrowed(value, 8, 7); }

inline float half_value(std::uint32_t half) {
    const std::uint32_t sign = (half & 0x8000U) << 16, exponent = half >> 10 & 0x1FU, fraction = half & 0x3FFU;
    if (exponent == 0) {
        const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
        return sign != 0 ? -magnitude : magnitude;
    }
    return std::bit_cast<float>(exponent == 31 ? sign | 0x7F800000U | fraction << 13
                                               : sign | (exponent + 112U) << 23 | fraction << 13);
}
inline float bfloat16_value(std::uint32_t bits) { return std::bit_cast<float>(bits << 16); }

// a * b + c for operands of 16 bits, exact to the last bit after narrowed(): rounded to odd, so that rounding it again
// gives what rounding once does.
inline double multiply_add_odd(double a, double b, double c) {
    const double product = a * b; // exact: 22 or 16 bits
    const double sum = product + c, part = sum - product;
    const double lost = (product - (sum - part)) + (c - part);
    if (lost != 0 && (std::bit_cast<std::uint64_t>(sum) & 1) == 0 && std::isfinite(sum)) {
        return std::nextafter(sum, lost > 0 ? INFINITY : -INFINITY);
    }
    return sum;
}

} // namespace warptree
