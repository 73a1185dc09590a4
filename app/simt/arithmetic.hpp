// The arithmetic of the instructions, on one lane's values. Integers wrap; opcode.hpp defines what C++ leaves
// undefined.
#pragma once

#include "app/base/narrow_float.hpp"
#include "app/base/value_type.hpp"
#include "app/compile/program/opcode.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace warptree::simt {

template <class U> using Signed = std::make_signed_t<U>;
template <class U> constexpr unsigned kBits = 8 * sizeof(U);

inline float f32(std::uint32_t bits) { return std::bit_cast<float>(bits); }
inline double f64(std::uint64_t bits) { return std::bit_cast<double>(bits); }
inline std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
inline std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }
template <class U> auto as_float(U bits) {
    if constexpr (sizeof(U) == 4) {
        return f32(bits);
    } else {
        return f64(bits);
    }
}

template <class U> U divide(U a, U b) { return b == 0 ? ~U{0} : a / b; }
template <class U> U remainder(U a, U b) { return b == 0 ? a : a % b; }
template <class U> U signed_divide(U a, U b) {
    if (b == 0) {
        return ~U{0};
    }
    return b == ~U{0} ? U{0} - a : static_cast<U>(static_cast<Signed<U>>(a) / static_cast<Signed<U>>(b));
}
template <class U> U signed_remainder(U a, U b) {
    if (b == 0) {
        return a;
    }
    return b == ~U{0} ? U{0} : static_cast<U>(static_cast<Signed<U>>(a) % static_cast<Signed<U>>(b));
}
// a / 2^k, rounded towards zero; k < kBits<U> - 1.
template <class U> U signed_divide_by_power(U a, U k) {
    const auto sign = static_cast<U>(static_cast<Signed<U>>(a) >> (kBits<U> - 1));
    return static_cast<U>(static_cast<Signed<U>>(a + (sign & ((U{1} << k) - 1))) >> k);
}
template <class U> U shift_left(U a, U b) { return b >= kBits<U> ? U{0} : a << b; }
template <class U> U shift_right(U a, U b) { return b >= kBits<U> ? U{0} : a >> b; }
template <class U> U signed_shift_right(U a, U b) {
    return static_cast<U>(static_cast<Signed<U>>(a) >> (b >= kBits<U> ? kBits<U> - 1 : b));
}
template <class U> bool signed_less(U a, U b) { return static_cast<Signed<U>>(a) < static_cast<Signed<U>>(b); }

inline std::uint32_t high_product(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32);
}
inline std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t al = a & 0xFFFFFFFFU, ah = a >> 32, bl = b & 0xFFFFFFFFU, bh = b >> 32;
    const std::uint64_t low = al * bl, mid = ah * bl + (low >> 32), mid2 = al * bh + (mid & 0xFFFFFFFFU);
    return ah * bh + (mid >> 32) + (mid2 >> 32);
}
template <class U> U signed_high_product(U a, U b) {
    U high = high_product(a, b);
    high -= static_cast<Signed<U>>(a) < 0 ? b : 0;
    high -= static_cast<Signed<U>>(b) < 0 ? a : 0;
    return high;
}

// As in hardware: of a number and a NaN the result is the number, and -0 is less than 0.
template <class F> F least(F a, F b) {
    if (std::isnan(a) || std::isnan(b)) {
        return std::isnan(a) ? b : a;
    }
    return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <class F> F greatest(F a, F b) {
    if (std::isnan(a) || std::isnan(b)) {
        return std::isnan(a) ? b : a;
    }
    return a > b || (a == b && !std::signbit(a)) ? a : b;
}
// The result of the comparison as one bit: equal 1, greater 2, less 4, unordered 8.
template <class F> unsigned outcome(F a, F b) { return a == b ? 1U : a > b ? 2U : a < b ? 4U : 8U; }

// Of two values of a type, as the low bits of a row hold them.
inline bool is_less(ValueType type, std::uint64_t a, std::uint64_t b) {
    const auto number = [&](std::uint64_t bits) {
        switch (type) {
        case ValueType::f16: return static_cast<double>(half_value(static_cast<std::uint16_t>(bits)));
        case ValueType::bf16: return static_cast<double>(bfloat16_value(static_cast<std::uint16_t>(bits)));
        case ValueType::f32: return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
        default: return std::bit_cast<double>(bits);
        }
    };
    if (is_floating(type)) {
        return number(a) < number(b);
    }
    const unsigned above = 64 - 8 * bytes(type);
    return is_signed(type) ? static_cast<std::int64_t>(a << above) < static_cast<std::int64_t>(b << above)
                           : a << above < b << above;
}

// Rounds towards zero; out of range becomes the nearest bound, NaN becomes 0.
template <class I, class F> std::make_unsigned_t<I> to_integer(F value) {
    using U = std::make_unsigned_t<I>;
    if (std::isnan(value)) {
        return 0;
    }
    constexpr F end = static_cast<F>(std::numeric_limits<I>::max()) + F{1}; // a power of two; rounded up if inexact
    if (value >= end) {
        return static_cast<U>(std::numeric_limits<I>::max());
    }
    if (value <= static_cast<F>(std::numeric_limits<I>::min())) {
        return static_cast<U>(std::numeric_limits<I>::min());
    }
    return static_cast<U>(static_cast<I>(value));
}

inline std::uint32_t reversed(std::uint32_t v) {
    v = (v >> 1 & 0x55555555U) | (v & 0x55555555U) << 1;
    v = (v >> 2 & 0x33333333U) | (v & 0x33333333U) << 2;
    v = (v >> 4 & 0x0F0F0F0FU) | (v & 0x0F0F0F0FU) << 4;
    return __builtin_bswap32(v);
}
inline std::uint64_t reversed(std::uint64_t v) {
    return std::uint64_t{reversed(static_cast<std::uint32_t>(v))} << 32 | reversed(static_cast<std::uint32_t>(v >> 32));
}

inline std::uint32_t permuted(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
    const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
    std::uint32_t result = 0;
    for (unsigned k = 0; k < 4; ++k) {
        const std::uint32_t s = selector >> 4 * k & 0xF;
        std::uint32_t byte = static_cast<std::uint32_t>(bytes >> 8 * (s & 7) & 0xFF);
        if ((s & 8) != 0) { // the byte's sign bit, replicated
            byte = (byte & 0x80) != 0 ? 0xFF : 0;
        }
        result |= byte << 8 * k;
    }
    return result;
}

// f(a) or f(a, b), computed by the host's math library. ldexp: b holds the bits of the exponent.
template <class F> F evaluate(compile::Function f, F a, F b);
extern template float evaluate(compile::Function, float, float);
extern template double evaluate(compile::Function, double, double);

} // namespace warptree::simt
