// Conversions that name their rounding: rn to nearest, rz towards zero, ru up, rd down.
#pragma once

#include "warptree/math.h"

#define __WARPTREE_TO_INTEGER(from, F, to, T)                                                                          \
    __WARPTREE_BOTH T __##from##2##to##_rn(F x) { return static_cast<T>(rint(x)); }                                    \
    __WARPTREE_BOTH T __##from##2##to##_rz(F x) { return static_cast<T>(x); }                                          \
    __WARPTREE_BOTH T __##from##2##to##_ru(F x) { return static_cast<T>(ceil(x)); }                                    \
    __WARPTREE_BOTH T __##from##2##to##_rd(F x) { return static_cast<T>(floor(x)); }
__WARPTREE_TO_INTEGER(float, float, int, int)
__WARPTREE_TO_INTEGER(float, float, uint, unsigned int)
__WARPTREE_TO_INTEGER(float, float, ll, long long)
__WARPTREE_TO_INTEGER(float, float, ull, unsigned long long)
__WARPTREE_TO_INTEGER(double, double, int, int)
__WARPTREE_TO_INTEGER(double, double, uint, unsigned int)
__WARPTREE_TO_INTEGER(double, double, ll, long long)
__WARPTREE_TO_INTEGER(double, double, ull, unsigned long long)
#undef __WARPTREE_TO_INTEGER
__WARPTREE_BOTH double __int2double_rn(int x) { return x; }
__WARPTREE_BOTH double __uint2double_rn(unsigned int x) { return x; }

// `rounded`, or its neighbour when the exact value lies beyond it in the direction of the rounding; without branches.
// The bits of neighbours are neighbours: one more leads away from zero.
#define __WARPTREE_ROUND(T, U)                                                                                         \
    __WARPTREE_BOTH T __warptree_round_rn(T rounded, bool, bool) { return rounded; }                                   \
    __WARPTREE_BOTH T __warptree_round_rz(T rounded, bool above, bool below) {                                         \
        const U bits = __builtin_bit_cast(U, rounded), negative = bits >> (sizeof(U) * 8 - 1);                         \
        return __builtin_bit_cast(                                                                                     \
            T, static_cast<U>(bits - ((negative & above) | ((1 - negative) & below))));                                \
    }                                                                                                                  \
    __WARPTREE_BOTH T __warptree_round_ru(T rounded, bool above, bool) {                                               \
        const U bits = __builtin_bit_cast(U, rounded), negative = bits >> (sizeof(U) * 8 - 1);                         \
        return __builtin_bit_cast(T, static_cast<U>(bits + above - 2 * (negative & above)));                           \
    }                                                                                                                  \
    __WARPTREE_BOTH T __warptree_round_rd(T rounded, bool, bool below) {                                               \
        const U bits = __builtin_bit_cast(U, rounded), negative = bits >> (sizeof(U) * 8 - 1);                         \
        return __builtin_bit_cast(T, static_cast<U>(bits - below + 2 * (negative & below)));                           \
    }
__WARPTREE_ROUND(float, unsigned int)
__WARPTREE_ROUND(double, unsigned long long)
// Also for half.h.
#define __WARPTREE_TO_FLOATING(mode)                                                                                   \
    __WARPTREE_BOTH float __double2float_##mode(double x) {                                                            \
        const float y = static_cast<float>(x);                                                                         \
        return __warptree_round_##mode(y, x > y, x < y);                                                               \
    }                                                                                                                  \
    __WARPTREE_BOTH float __int2float_##mode(int x) { return __double2float_##mode(x); }                               \
    __WARPTREE_BOTH float __uint2float_##mode(unsigned int x) { return __double2float_##mode(x); }                     \
    __WARPTREE_BOTH float __ll2float_##mode(long long x) {                                                             \
        const float y = static_cast<float>(x);                                                                         \
        const long long back = static_cast<long long>(y);                                                              \
        return __warptree_round_##mode(y, (x > back) & (y < 0x1p63F), (x < back) | (y >= 0x1p63F));                    \
    }                                                                                                                  \
    __WARPTREE_BOTH float __ull2float_##mode(unsigned long long x) {                                                   \
        const float y = static_cast<float>(x);                                                                         \
        const unsigned long long back = static_cast<unsigned long long>(y);                                            \
        return __warptree_round_##mode(y, (x > back) & (y < 0x1p64F), (x < back) | (y >= 0x1p64F));                    \
    }                                                                                                                  \
    __WARPTREE_BOTH double __ll2double_##mode(long long x) {                                                           \
        const double y = static_cast<double>(x);                                                                       \
        const long long back = static_cast<long long>(y);                                                              \
        return __warptree_round_##mode(y, (x > back) & (y < 0x1p63), (x < back) | (y >= 0x1p63));                      \
    }                                                                                                                  \
    __WARPTREE_BOTH double __ull2double_##mode(unsigned long long x) {                                                 \
        const double y = static_cast<double>(x);                                                                       \
        const unsigned long long back = static_cast<unsigned long long>(y);                                            \
        return __warptree_round_##mode(y, (x > back) & (y < 0x1p64), (x < back) | (y >= 0x1p64));                      \
    }
__WARPTREE_TO_FLOATING(rn)
__WARPTREE_TO_FLOATING(rz)
__WARPTREE_TO_FLOATING(ru)
__WARPTREE_TO_FLOATING(rd)
#undef __WARPTREE_TO_FLOATING
