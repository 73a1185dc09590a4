// The functions of one 16-bit floating-point type: __WARPTREE_C, its pair __WARPTREE_C2, Clang's type __WARPTREE_BASE, and
// the word by which functions name it, __WARPTREE_WORD. half.h includes this for each type.
#ifdef __WARPTREE_WORD

#include "warptree/conversions.h"
#include "warptree/memory.h"
#include "warptree/warp.h"

#define __WARPTREE_PASTE_3(a, b, c) a##b##c
#define __WARPTREE_PASTE(a, b, c) __WARPTREE_PASTE_3(a, b, c)
#define __WARPTREE_NAMED(before, after) __WARPTREE_PASTE(before, __WARPTREE_WORD, after)
#define __WARPTREE_TWICE_OF(word) __##word##2##word##2
#define __WARPTREE_TWICE(word) __WARPTREE_TWICE_OF(word)

// Bits, and halves of pairs.
__WARPTREE_BOTH short __WARPTREE_NAMED(__, _as_short)(__WARPTREE_C x) { return __builtin_bit_cast(short, x.__x); }
__WARPTREE_BOTH unsigned short __WARPTREE_NAMED(__, _as_ushort)(__WARPTREE_C x) {
    return __builtin_bit_cast(unsigned short, x.__x);
}
__WARPTREE_BOTH __WARPTREE_C __WARPTREE_NAMED(__short_as_, )(short x) { return __builtin_bit_cast(__WARPTREE_BASE, x); }
__WARPTREE_BOTH __WARPTREE_C __WARPTREE_NAMED(__ushort_as_, )(unsigned short x) {
    return __builtin_bit_cast(__WARPTREE_BASE, x);
}
__WARPTREE_BOTH __WARPTREE_C2 __WARPTREE_NAMED(make_, 2)(__WARPTREE_C x, __WARPTREE_C y) { return {x, y}; }
__WARPTREE_BOTH __WARPTREE_C2 __WARPTREE_TWICE(__WARPTREE_WORD)(__WARPTREE_C x) { return {x, x}; }
__WARPTREE_BOTH __WARPTREE_C2 __WARPTREE_NAMED(__halves2, 2)(__WARPTREE_C x, __WARPTREE_C y) {
    return {x, y};
}
__WARPTREE_BOTH __WARPTREE_C __WARPTREE_NAMED(__low2, )(__WARPTREE_C2 v) { return v.x; }
__WARPTREE_BOTH __WARPTREE_C __WARPTREE_NAMED(__high2, )(__WARPTREE_C2 v) { return v.y; }
__WARPTREE_BOTH __WARPTREE_C2 __lowhigh2highlow(__WARPTREE_C2 v) { return {v.y, v.x}; }
__WARPTREE_BOTH __WARPTREE_C2 __WARPTREE_NAMED(__low2, 2)(__WARPTREE_C2 v) { return {v.x, v.x}; }
__WARPTREE_BOTH __WARPTREE_C2 __WARPTREE_NAMED(__high2, 2)(__WARPTREE_C2 v) { return {v.y, v.y}; }
__WARPTREE_BOTH __WARPTREE_C2 __WARPTREE_NAMED(__lows2, 2)(__WARPTREE_C2 a, __WARPTREE_C2 b) { return {a.x, b.x}; }
__WARPTREE_BOTH __WARPTREE_C2 __WARPTREE_NAMED(__highs2, 2)(__WARPTREE_C2 a, __WARPTREE_C2 b) { return {a.y, b.y}; }

// Conversions: rn to nearest, rz towards zero, ru up, rd down.
__WARPTREE_BOTH float __WARPTREE_NAMED(__, 2float)(__WARPTREE_C x) { return static_cast<float>(x.__x); }
__WARPTREE_BOTH float __low2float(__WARPTREE_C2 v) { return static_cast<float>(v.x.__x); }
__WARPTREE_BOTH float __high2float(__WARPTREE_C2 v) { return static_cast<float>(v.y.__x); }
__WARPTREE_BOTH float2 __WARPTREE_NAMED(__, 22float2)(__WARPTREE_C2 v) { return {__low2float(v), __high2float(v)}; }
__WARPTREE_BOTH __WARPTREE_C __WARPTREE_NAMED(__float2, )(float x) { return x; }
__WARPTREE_BOTH __WARPTREE_C __WARPTREE_NAMED(__double2, )(double x) { return x; }
__WARPTREE_BOTH __WARPTREE_C2 __WARPTREE_NAMED(__float2, 2_rn)(float x) { return {x, x}; }
__WARPTREE_BOTH __WARPTREE_C2 __WARPTREE_NAMED(__floats2, 2_rn)(float x, float y) { return {x, y}; }
__WARPTREE_BOTH __WARPTREE_C2 __WARPTREE_NAMED(__float22, 2_rn)(float2 v) { return {v.x, v.y}; }
__WARPTREE_ROUND(__WARPTREE_BASE, unsigned short)
#define __WARPTREE_FROM(from, T, mode)                                                                                 \
    __WARPTREE_BOTH __WARPTREE_C __WARPTREE_NAMED(__##from##2, _##mode)(T x) {                                         \
        const auto exact = __warptree_to_round(x);                                                                     \
        const __WARPTREE_BASE y = static_cast<__WARPTREE_BASE>(exact);                                                 \
        return __warptree_round_##mode(y, exact > static_cast<float>(y), exact < static_cast<float>(y));               \
    }
#define __WARPTREE_TO(to, T, mode, rounded)                                                                            \
    __WARPTREE_BOTH T __WARPTREE_NAMED(__, 2##to##_##mode)(__WARPTREE_C x) {                                           \
        return __warptree_to_##to(rounded(static_cast<float>(x.__x)));                                                 \
    }
#define __WARPTREE_FROM_AND_TO(word, T)                                                                                \
    __WARPTREE_FROM(word, T, rn)                                                                                       \
    __WARPTREE_FROM(word, T, rz)                                                                                       \
    __WARPTREE_FROM(word, T, ru)                                                                                       \
    __WARPTREE_FROM(word, T, rd)                                                                                       \
    __WARPTREE_TO(word, T, rn, rintf)                                                                                  \
    __WARPTREE_TO(word, T, rz, )                                                                                       \
    __WARPTREE_TO(word, T, ru, ceilf)                                                                                  \
    __WARPTREE_TO(word, T, rd, floorf)
__WARPTREE_FROM(float, float, rn)
__WARPTREE_FROM(float, float, rz)
__WARPTREE_FROM(float, float, ru)
__WARPTREE_FROM(float, float, rd)
__WARPTREE_FROM_AND_TO(short, short)
__WARPTREE_FROM_AND_TO(ushort, unsigned short)
__WARPTREE_FROM_AND_TO(int, int)
__WARPTREE_FROM_AND_TO(uint, unsigned int)
__WARPTREE_FROM_AND_TO(ll, long long)
__WARPTREE_FROM_AND_TO(ull, unsigned long long)
__WARPTREE_TO(char, signed char, rz, )
__WARPTREE_TO(uchar, unsigned char, rz, )
#undef __WARPTREE_FROM
#undef __WARPTREE_TO
#undef __WARPTREE_FROM_AND_TO

// Arithmetic, for a number and for both numbers of a pair. sat: between 0 and 1, NaN gives 0; relu: 0 for what is below.
#define __WARPTREE_EACH_1(name, pair, value)                                                                           \
    __WARPTREE_BOTH __WARPTREE_C name(__WARPTREE_C a) { return value; }                                                \
    __WARPTREE_BOTH __WARPTREE_C2 pair(__WARPTREE_C2 a) { return {name(a.x), name(a.y)}; }
#define __WARPTREE_EACH_2(name, pair, value)                                                                           \
    __WARPTREE_BOTH __WARPTREE_C name(__WARPTREE_C a, __WARPTREE_C b) { return value; }                                \
    __WARPTREE_BOTH __WARPTREE_C2 pair(__WARPTREE_C2 a, __WARPTREE_C2 b) { return {name(a.x, b.x), name(a.y, b.y)}; }
#define __WARPTREE_EACH_3(name, pair, value)                                                                           \
    __WARPTREE_BOTH __WARPTREE_C name(__WARPTREE_C a, __WARPTREE_C b, __WARPTREE_C c) { return value; }                \
    __WARPTREE_BOTH __WARPTREE_C2 pair(__WARPTREE_C2 a, __WARPTREE_C2 b, __WARPTREE_C2 c) {                            \
        return {name(a.x, b.x, c.x), name(a.y, b.y, c.y)};                                                             \
    }
#define __WARPTREE_COMPUTED(value) static_cast<__WARPTREE_BASE>(value)
__WARPTREE_BOTH __WARPTREE_C __warptree_saturated(__WARPTREE_C x) {
    return __builtin_elementwise_min(__builtin_elementwise_max(x.__x, __WARPTREE_COMPUTED(0.0F)),
                                     __WARPTREE_COMPUTED(1.0F));
}
#define __WARPTREE_ARITHMETIC(name, pair, op)                                                                          \
    __WARPTREE_EACH_2(name, pair, __WARPTREE_COMPUTED(a.__x op b.__x))                                                 \
    __WARPTREE_EACH_2(name##_rn, pair##_rn, name(a, b))                                                                \
    __WARPTREE_EACH_2(name##_sat, pair##_sat, __warptree_saturated(name(a, b)))
__WARPTREE_ARITHMETIC(__hadd, __hadd2, +)
__WARPTREE_ARITHMETIC(__hsub, __hsub2, -)
__WARPTREE_ARITHMETIC(__hmul, __hmul2, *)
#undef __WARPTREE_ARITHMETIC
__WARPTREE_EACH_2(__hdiv, __h2div, __WARPTREE_COMPUTED(a.__x / b.__x))
__WARPTREE_EACH_3(__hfma, __hfma2, __builtin_elementwise_fma(a.__x, b.__x, c.__x))
__WARPTREE_EACH_3(__hfma_sat, __hfma2_sat, __warptree_saturated(__hfma(a, b, c)))
__WARPTREE_EACH_1(__hneg, __hneg2, __WARPTREE_COMPUTED(-a.__x))
__WARPTREE_EACH_1(__habs, __habs2, __builtin_elementwise_abs(a.__x))
__WARPTREE_EACH_2(__hmin, __hmin2, __builtin_elementwise_min(a.__x, b.__x))
__WARPTREE_EACH_2(__hmax, __hmax2, __builtin_elementwise_max(a.__x, b.__x))
// The smaller or larger; NaN if one is: then all bits but the sign are set.
__WARPTREE_BOTH __WARPTREE_C __warptree_nan_if(bool nan, __WARPTREE_C x) {
    const unsigned int bits = __builtin_bit_cast(unsigned short, x.__x), all = 0U - static_cast<unsigned int>(nan);
    return __builtin_bit_cast(__WARPTREE_BASE, static_cast<unsigned short>((bits | all) & ~(all & 0x8000U)));
}
__WARPTREE_EACH_2(__hmin_nan, __hmin2_nan, __warptree_nan_if((a.__x != a.__x) | (b.__x != b.__x), __hmin(a, b)))
__WARPTREE_EACH_2(__hmax_nan, __hmax2_nan, __warptree_nan_if((a.__x != a.__x) | (b.__x != b.__x), __hmax(a, b)))
__WARPTREE_EACH_3(__hfma_relu, __hfma2_relu, __hmax_nan(__hfma(a, b, c), __WARPTREE_C(0.0F)))
// a * b + c of complex numbers.
__WARPTREE_BOTH __WARPTREE_C2 __hcmadd(__WARPTREE_C2 a, __WARPTREE_C2 b, __WARPTREE_C2 c) {
    return {__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}

// Functions, computed as float and rounded once more.
#define __WARPTREE_FUNCTION(name, value)                                                                               \
    __WARPTREE_BOTH __WARPTREE_C h##name(__WARPTREE_C a) {                                                             \
        const float x = static_cast<float>(a.__x);                                                                     \
        return value;                                                                                                  \
    }                                                                                                                  \
    __WARPTREE_BOTH __WARPTREE_C2 h2##name(__WARPTREE_C2 a) { return {h##name(a.x), h##name(a.y)}; }
__WARPTREE_FUNCTION(sqrt, sqrtf(x))
__WARPTREE_FUNCTION(rsqrt, rsqrtf(x))
__WARPTREE_FUNCTION(rcp, 1.0F / x)
__WARPTREE_FUNCTION(exp, expf(x))
__WARPTREE_FUNCTION(exp2, exp2f(x))
__WARPTREE_FUNCTION(exp10, exp10f(x))
__WARPTREE_FUNCTION(log, logf(x))
__WARPTREE_FUNCTION(log2, log2f(x))
__WARPTREE_FUNCTION(log10, log10f(x))
__WARPTREE_FUNCTION(sin, sinf(x))
__WARPTREE_FUNCTION(cos, cosf(x))
__WARPTREE_FUNCTION(tanh, tanhf(x))
__WARPTREE_FUNCTION(tanh_approx, tanhf(x))
__WARPTREE_FUNCTION(floor, floorf(x))
__WARPTREE_FUNCTION(ceil, ceilf(x))
__WARPTREE_FUNCTION(trunc, truncf(x))
__WARPTREE_FUNCTION(rint, rintf(x))
#undef __WARPTREE_FUNCTION

// Comparisons: ordered ones are false for NaN, unordered ones (u) true. Of pairs: 1 or 0 for each number; b, whether both
// hold; mask, all bits set or none.
#define __WARPTREE_COMPARISON(name, value)                                                                             \
    __WARPTREE_BOTH bool __h##name(__WARPTREE_C a, __WARPTREE_C b) { return value; }                                   \
    __WARPTREE_BOTH bool __hb##name##2(__WARPTREE_C2 a, __WARPTREE_C2 b) {                                             \
        return static_cast<int>(__h##name(a.x, b.x)) & static_cast<int>(__h##name(a.y, b.y));                          \
    }                                                                                                                  \
    __WARPTREE_BOTH __WARPTREE_C2 __h##name##2(__WARPTREE_C2 a, __WARPTREE_C2 b) {                                     \
        return {static_cast<int>(__h##name(a.x, b.x)), static_cast<int>(__h##name(a.y, b.y))};                         \
    }                                                                                                                  \
    __WARPTREE_BOTH unsigned int __h##name##2_mask(__WARPTREE_C2 a, __WARPTREE_C2 b) {                                 \
        return static_cast<unsigned int>(__h##name(a.x, b.x)) * 0xFFFFU |                                              \
               static_cast<unsigned int>(__h##name(a.y, b.y)) * 0xFFFF0000U;                                           \
    }
__WARPTREE_COMPARISON(eq, a.__x == b.__x)
__WARPTREE_COMPARISON(ne, static_cast<int>(a.__x < b.__x) | static_cast<int>(a.__x > b.__x))
__WARPTREE_COMPARISON(lt, a.__x < b.__x)
__WARPTREE_COMPARISON(le, a.__x <= b.__x)
__WARPTREE_COMPARISON(gt, a.__x > b.__x)
__WARPTREE_COMPARISON(ge, a.__x >= b.__x)
__WARPTREE_COMPARISON(equ, !__hne(a, b))
__WARPTREE_COMPARISON(neu, a.__x != b.__x)
__WARPTREE_COMPARISON(ltu, !(a.__x >= b.__x))
__WARPTREE_COMPARISON(leu, !(a.__x > b.__x))
__WARPTREE_COMPARISON(gtu, !(a.__x <= b.__x))
__WARPTREE_COMPARISON(geu, !(a.__x < b.__x))
#undef __WARPTREE_COMPARISON
__WARPTREE_BOTH bool __hisnan(__WARPTREE_C a) { return a.__x != a.__x; }
__WARPTREE_BOTH __WARPTREE_C2 __hisnan2(__WARPTREE_C2 a) {
    return {static_cast<int>(__hisnan(a.x)), static_cast<int>(__hisnan(a.y))};
}
// 1 for infinity, -1 for its negative, 0 for others.
__WARPTREE_BOTH int __hisinf(__WARPTREE_C a) {
    const float x = static_cast<float>(a.__x);
    return static_cast<int>(x == INFINITY) - static_cast<int>(x == -INFINITY);
}
__WARPTREE_BOTH bool isnan(__WARPTREE_C a) { return a.__x != a.__x; }

#define __WARPTREE_COMPARING_OPERATOR(op, name)                                                                        \
    __WARPTREE_BOTH bool operator op(__WARPTREE_C a, __WARPTREE_C b) { return __h##name(a, b); }                       \
    __WARPTREE_BOTH bool operator op(__WARPTREE_C2 a, __WARPTREE_C2 b) { return __hb##name##2(a, b); }
__WARPTREE_COMPARING_OPERATOR(==, eq)
__WARPTREE_COMPARING_OPERATOR(!=, neu)
__WARPTREE_COMPARING_OPERATOR(<, lt)
__WARPTREE_COMPARING_OPERATOR(<=, le)
__WARPTREE_COMPARING_OPERATOR(>, gt)
__WARPTREE_COMPARING_OPERATOR(>=, ge)
#undef __WARPTREE_COMPARING_OPERATOR
#define __WARPTREE_OPERATOR(op, name, pair)                                                                            \
    __WARPTREE_BOTH __WARPTREE_C operator op(__WARPTREE_C a, __WARPTREE_C b) { return name(a, b); }                    \
    __WARPTREE_BOTH __WARPTREE_C2 operator op(__WARPTREE_C2 a, __WARPTREE_C2 b) { return pair(a, b); }                 \
    __WARPTREE_BOTH __WARPTREE_C& operator op##=(__WARPTREE_C& a, __WARPTREE_C b) { return a = name(a, b); }           \
    __WARPTREE_BOTH __WARPTREE_C2& operator op##=(__WARPTREE_C2& a, __WARPTREE_C2 b) { return a = pair(a, b); }
__WARPTREE_OPERATOR(+, __hadd, __hadd2)
__WARPTREE_OPERATOR(-, __hsub, __hsub2)
__WARPTREE_OPERATOR(*, __hmul, __hmul2)
__WARPTREE_OPERATOR(/, __hdiv, __h2div)
#undef __WARPTREE_OPERATOR
#define __WARPTREE_STEPS(T, one)                                                                                       \
    __WARPTREE_BOTH T& operator++(T& a) { return a = a + one; }                                                        \
    __WARPTREE_BOTH T& operator--(T& a) { return a = a - one; }                                                        \
    __WARPTREE_BOTH T operator++(T& a, int) {                                                                          \
        const T before = a;                                                                                            \
        a = a + one;                                                                                                   \
        return before;                                                                                                 \
    }                                                                                                                  \
    __WARPTREE_BOTH T operator--(T& a, int) {                                                                          \
        const T before = a;                                                                                            \
        a = a - one;                                                                                                   \
        return before;                                                                                                 \
    }                                                                                                                  \
    __WARPTREE_BOTH T operator+(T a) { return a; }
__WARPTREE_STEPS(__WARPTREE_C, __WARPTREE_C(1.0F))
__WARPTREE_STEPS(__WARPTREE_C2, __WARPTREE_C2(__WARPTREE_C(1.0F), __WARPTREE_C(1.0F)))
#undef __WARPTREE_STEPS
__WARPTREE_BOTH __WARPTREE_C operator-(__WARPTREE_C a) { return __hneg(a); }
__WARPTREE_BOTH __WARPTREE_C2 operator-(__WARPTREE_C2 a) { return __hneg2(a); }

#define __WARPTREE_SHUFFLE_NARROW(name, L)                                                                             \
    __WARPTREE_DEVICE __WARPTREE_C name(unsigned int mask, __WARPTREE_C var, L lane, int width = 32) {                 \
        const unsigned int bits = __builtin_bit_cast(unsigned short, var.__x);                                         \
        return __builtin_bit_cast(__WARPTREE_BASE, static_cast<unsigned short>(name(mask, bits, lane, width)));        \
    }                                                                                                                  \
    __WARPTREE_DEVICE __WARPTREE_C2 name(unsigned int mask, __WARPTREE_C2 var, L lane, int width = 32) {               \
        return __builtin_bit_cast(__WARPTREE_C2, name(mask, __builtin_bit_cast(unsigned int, var), lane, width));      \
    }
__WARPTREE_SHUFFLE_NARROW(__shfl_sync, int)
__WARPTREE_SHUFFLE_NARROW(__shfl_up_sync, unsigned int)
__WARPTREE_SHUFFLE_NARROW(__shfl_down_sync, unsigned int)
__WARPTREE_SHUFFLE_NARROW(__shfl_xor_sync, int)
#undef __WARPTREE_SHUFFLE_NARROW

__WARPTREE_HINTS(__WARPTREE_C, __WARPTREE_BASE)
typedef __WARPTREE_BASE __WARPTREE_NAMED(__warptree_access_, 2) __attribute__((ext_vector_type(2)));
__WARPTREE_HINTS(__WARPTREE_C2, __WARPTREE_NAMED(__warptree_access_, 2))

__WARPTREE_DEVICE __WARPTREE_C atomicAdd(__WARPTREE_C* address, __WARPTREE_C value) {
    return __atomic_fetch_add(&address->__x, value.__x, __ATOMIC_RELAXED);
}
// On a GPU one instruction, which adds each number atomically and not the pair.
__WARPTREE_DEVICE __WARPTREE_C2 atomicAdd(__WARPTREE_C2* address, __WARPTREE_C2 value) {
    return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}

#undef __WARPTREE_EACH_1
#undef __WARPTREE_EACH_2
#undef __WARPTREE_EACH_3
#undef __WARPTREE_COMPUTED
#undef __WARPTREE_TWICE
#undef __WARPTREE_TWICE_OF
#undef __WARPTREE_NAMED
#undef __WARPTREE_PASTE
#undef __WARPTREE_PASTE_3
#endif
