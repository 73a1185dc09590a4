// __half, __nv_bfloat16 and their pairs. Each operation is one on Clang's type: to nearest, ties to even.
#pragma once

#include "warptree/conversions.h"

// A 64-bit integer in double, with what does not fit folded into the last bit that does: rounding it once more, to a
// narrower type, gives what rounding once does. Without branches, as the source has none.
__WARPTREE_BOTH constexpr double __warptree_to_round(long long x) {
    const long long folded = (x & ~0xFFFLL) | static_cast<long long>((x & 0xFFF) != 0) << 11;
    const long long large = -static_cast<long long>(static_cast<unsigned long long>((x >> 53) + 1) > 1);
    return static_cast<double>((x & ~large) | (folded & large));
}
__WARPTREE_BOTH constexpr double __warptree_to_round(unsigned long long x) {
    const unsigned long long folded = (x & ~0xFFFULL) | static_cast<unsigned long long>((x & 0xFFF) != 0) << 11;
    const unsigned long long large = 0ULL - static_cast<unsigned long long>(x >> 53 != 0);
    return static_cast<double>((x & ~large) | (folded & large));
}
__WARPTREE_BOTH constexpr double __warptree_to_round(long x) { return __warptree_to_round(static_cast<long long>(x)); }
__WARPTREE_BOTH constexpr double __warptree_to_round(unsigned long x) {
    return __warptree_to_round(static_cast<unsigned long long>(x));
}
__WARPTREE_BOTH constexpr double __warptree_to_round(int x) { return x; }
__WARPTREE_BOTH constexpr double __warptree_to_round(unsigned int x) { return x; }
__WARPTREE_BOTH constexpr double __warptree_to_round(short x) { return x; }
__WARPTREE_BOTH constexpr double __warptree_to_round(unsigned short x) { return x; }
__WARPTREE_BOTH constexpr float __warptree_to_round(float x) { return x; }
__WARPTREE_BOTH constexpr double __warptree_to_round(double x) { return x; }

// A number without a fraction as an integer, which saturates. NaN: 0, or 2^63 for 64 bits, as a GPU has it.
#define __WARPTREE_TO_SMALL(name, T, low, high)                                                                        \
    __WARPTREE_BOTH constexpr T __warptree_to_##name(float x) {                                                        \
        return static_cast<T>(                                                                                         \
            __builtin_elementwise_min(__builtin_elementwise_max(static_cast<int>(x), low), high));                     \
    }
#define __WARPTREE_TO_LARGE(name, T)                                                                                   \
    __WARPTREE_BOTH constexpr T __warptree_to_##name(float x) {                                                        \
        return static_cast<T>(x) | static_cast<T>(static_cast<unsigned long long>(x != x) << 63);                      \
    }
__WARPTREE_TO_SMALL(char, char, -128, 127)
__WARPTREE_TO_SMALL(schar, signed char, -128, 127)
__WARPTREE_TO_SMALL(uchar, unsigned char, 0, 255)
__WARPTREE_TO_SMALL(short, short, -32768, 32767)
__WARPTREE_TO_SMALL(ushort, unsigned short, 0, 65535)
__WARPTREE_BOTH constexpr int __warptree_to_int(float x) { return static_cast<int>(x); }
__WARPTREE_BOTH constexpr unsigned int __warptree_to_uint(float x) { return static_cast<unsigned int>(x); }
__WARPTREE_TO_LARGE(long, long)
__WARPTREE_TO_LARGE(ulong, unsigned long)
__WARPTREE_TO_LARGE(ll, long long)
__WARPTREE_TO_LARGE(ull, unsigned long long)
#undef __WARPTREE_TO_SMALL
#undef __WARPTREE_TO_LARGE

#define __WARPTREE_NARROW_OF(C, B, T)                                                                                  \
    __WARPTREE_MEMBER_BOTH constexpr C(T value) : __x(static_cast<B>(__warptree_to_round(value))) {}                   \
    __WARPTREE_MEMBER_BOTH constexpr C& operator=(T value) {                                                           \
        __x = static_cast<B>(__warptree_to_round(value));                                                              \
        return *this;                                                                                                  \
    }
#define __WARPTREE_NARROW_TO(T, name)                                                                                  \
    __WARPTREE_MEMBER_BOTH explicit constexpr operator T() const {                                                     \
        return __warptree_to_##name(static_cast<float>(__x));                                                          \
    }
// The class, its pair, and Clang's type of its numbers.
#define __WARPTREE_NARROW(C, C2, B)                                                                                    \
    struct C##_raw {                                                                                                   \
        unsigned short x;                                                                                              \
    };                                                                                                                 \
    struct C2##_raw {                                                                                                  \
        unsigned short x, y;                                                                                           \
    };                                                                                                                 \
    struct C {                                                                                                         \
        B __x;                                                                                                         \
        C() = default;                                                                                                 \
        __WARPTREE_MEMBER_BOTH constexpr C(B value) : __x(value) {}                                                    \
        __WARPTREE_NARROW_OF(C, B, float)                                                                              \
        __WARPTREE_NARROW_OF(C, B, double)                                                                             \
        __WARPTREE_NARROW_OF(C, B, short)                                                                              \
        __WARPTREE_NARROW_OF(C, B, unsigned short)                                                                     \
        __WARPTREE_NARROW_OF(C, B, int)                                                                                \
        __WARPTREE_NARROW_OF(C, B, unsigned int)                                                                       \
        __WARPTREE_NARROW_OF(C, B, long)                                                                               \
        __WARPTREE_NARROW_OF(C, B, unsigned long)                                                                      \
        __WARPTREE_NARROW_OF(C, B, long long)                                                                          \
        __WARPTREE_NARROW_OF(C, B, unsigned long long)                                                                 \
        __WARPTREE_MEMBER_BOTH constexpr C(C##_raw raw) : __x(__builtin_bit_cast(B, raw.x)) {}                         \
        __WARPTREE_MEMBER_BOTH constexpr operator C##_raw() const { return {__builtin_bit_cast(unsigned short, __x)}; }\
        __WARPTREE_MEMBER_BOTH constexpr operator float() const { return static_cast<float>(__x); }                    \
        __WARPTREE_MEMBER_BOTH explicit constexpr operator bool() const { return __x != static_cast<B>(0.0F); }        \
        __WARPTREE_NARROW_TO(char, char)                                                                               \
        __WARPTREE_NARROW_TO(signed char, schar)                                                                       \
        __WARPTREE_NARROW_TO(unsigned char, uchar)                                                                     \
        __WARPTREE_NARROW_TO(short, short)                                                                             \
        __WARPTREE_NARROW_TO(unsigned short, ushort)                                                                   \
        __WARPTREE_NARROW_TO(int, int)                                                                                 \
        __WARPTREE_NARROW_TO(unsigned int, uint)                                                                       \
        __WARPTREE_NARROW_TO(long, long)                                                                               \
        __WARPTREE_NARROW_TO(unsigned long, ulong)                                                                     \
        __WARPTREE_NARROW_TO(long long, ll)                                                                            \
        __WARPTREE_NARROW_TO(unsigned long long, ull)                                                                  \
    };                                                                                                                 \
    struct __attribute__((aligned(4))) C2 {                                                                            \
        C x, y;                                                                                                        \
        C2() = default;                                                                                                \
        __WARPTREE_MEMBER_BOTH constexpr C2(C low, C high) : x(low), y(high) {}                                        \
        __WARPTREE_MEMBER_BOTH constexpr C2(C2##_raw raw) : x(C##_raw{raw.x}), y(C##_raw{raw.y}) {}                    \
        __WARPTREE_MEMBER_BOTH constexpr operator C2##_raw() const {                                                   \
            return {static_cast<C##_raw>(x).x, static_cast<C##_raw>(y).x};                                             \
        }                                                                                                              \
    };
__WARPTREE_NARROW(__half, __half2, _Float16)
__WARPTREE_NARROW(__nv_bfloat16, __nv_bfloat162, __bf16)
#undef __WARPTREE_NARROW
#undef __WARPTREE_NARROW_OF
#undef __WARPTREE_NARROW_TO
