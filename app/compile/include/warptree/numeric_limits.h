// What <limits> has, here so that it is read once, with the prelude, and not for every file: parsing it takes as long as a kernel.
#pragma once

#include "warptree/limits.h"
#include "warptree/std_names.h"

namespace __warptree {

template <class _T>
struct numeric_limits {
    static constexpr bool is_specialized = false, is_integer = false, is_signed = false, is_exact = false;
    static constexpr bool has_infinity = false, has_quiet_NaN = false, is_iec559 = false, is_bounded = false;
    static constexpr int digits = 0, digits10 = 0, max_digits10 = 0, radix = 0;
    __WARPTREE_STD static _T min() noexcept { return _T(); }
    __WARPTREE_STD static _T max() noexcept { return _T(); }
    __WARPTREE_STD static _T lowest() noexcept { return _T(); }
};
template <class _T>
struct numeric_limits<const _T> : numeric_limits<_T> {};
template <class _T>
struct numeric_limits<volatile _T> : numeric_limits<_T> {};

#define __WARPTREE_INTEGER(T, smallest, largest)                                                                       \
    template <>                                                                                                        \
    struct numeric_limits<T> {                                                                                         \
        static constexpr bool is_specialized = true, is_integer = true, is_signed = __is_signed(T), is_exact = true;     \
        static constexpr bool has_infinity = false, has_quiet_NaN = false, is_iec559 = false, is_bounded = true;       \
        static constexpr bool is_modulo = !is_signed;                                                                  \
        static constexpr int digits = __is_same(T, bool) ? 1 : int(sizeof(T)) * 8 - is_signed;                         \
        static constexpr int digits10 = digits * 30103 / 100000, max_digits10 = 0, radix = 2;                          \
        __WARPTREE_STD static T min() noexcept { return smallest; }                                                    \
        __WARPTREE_STD static T max() noexcept { return largest; }                                                     \
        __WARPTREE_STD static T lowest() noexcept { return smallest; }                                                 \
        __WARPTREE_STD static T epsilon() noexcept { return 0; }                                                       \
        __WARPTREE_STD static T infinity() noexcept { return 0; }                                                      \
        __WARPTREE_STD static T quiet_NaN() noexcept { return 0; }                                                     \
    };
__WARPTREE_INTEGER(bool, false, true)
__WARPTREE_INTEGER(char, CHAR_MIN, CHAR_MAX)
__WARPTREE_INTEGER(signed char, SCHAR_MIN, SCHAR_MAX)
__WARPTREE_INTEGER(unsigned char, 0, UCHAR_MAX)
__WARPTREE_INTEGER(short, SHRT_MIN, SHRT_MAX)
__WARPTREE_INTEGER(unsigned short, 0, USHRT_MAX)
__WARPTREE_INTEGER(int, INT_MIN, INT_MAX)
__WARPTREE_INTEGER(unsigned int, 0, UINT_MAX)
__WARPTREE_INTEGER(long, LONG_MIN, LONG_MAX)
__WARPTREE_INTEGER(unsigned long, 0, ULONG_MAX)
__WARPTREE_INTEGER(long long, LLONG_MIN, LLONG_MAX)
__WARPTREE_INTEGER(unsigned long long, 0, ULLONG_MAX)
__WARPTREE_INTEGER(wchar_t, INT_MIN, INT_MAX)
__WARPTREE_INTEGER(char16_t, 0, 65535)
__WARPTREE_INTEGER(char32_t, 0, UINT_MAX)
#undef __WARPTREE_INTEGER

#define __WARPTREE_FLOATING(T, P, infinite, not_a_number)                                                              \
    template <>                                                                                                        \
    struct numeric_limits<T> {                                                                                         \
        static constexpr bool is_specialized = true, is_integer = false, is_signed = true, is_exact = false;           \
        static constexpr bool has_infinity = true, has_quiet_NaN = true, is_iec559 = true, is_bounded = true;          \
        static constexpr int digits = P##_MANT_DIG, digits10 = P##_DIG, max_digits10 = P##_DIG == 6 ? 9 : 17;                 \
        static constexpr int radix = 2, min_exponent = P##_MIN_EXP, max_exponent = P##_MAX_EXP;                        \
        __WARPTREE_STD static T min() noexcept { return P##_MIN; }                                                     \
        __WARPTREE_STD static T max() noexcept { return P##_MAX; }                                                     \
        __WARPTREE_STD static T lowest() noexcept { return -P##_MAX; }                                                 \
        __WARPTREE_STD static T epsilon() noexcept { return P##_EPSILON; }                                             \
        __WARPTREE_STD static T denorm_min() noexcept { return P##_TRUE_MIN; }                                         \
        __WARPTREE_STD static T round_error() noexcept { return T(0.5); }                                              \
        __WARPTREE_STD static T infinity() noexcept { return infinite; }                                               \
        __WARPTREE_STD static T quiet_NaN() noexcept { return not_a_number; }                                          \
        __WARPTREE_STD static T signaling_NaN() noexcept { return not_a_number; }                                      \
    };
__WARPTREE_FLOATING(float, FLT, __builtin_inff(), __builtin_nanf(""))
__WARPTREE_FLOATING(double, DBL, __builtin_inf(), __builtin_nan(""))
#undef __WARPTREE_FLOATING

} // namespace __warptree
