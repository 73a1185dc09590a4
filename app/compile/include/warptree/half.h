// __half, __half2 and their functions. Each operation is one on Clang's half type: float16 with round to nearest.
#pragma once

#include "warptree/conversions.h"
#include "warptree/memory.h"
#include "warptree/warp.h"

struct __half_raw {
    unsigned short x;
};
struct __half2_raw {
    unsigned short x, y;
};

struct __half {
    _Float16 __x;
    __half() = default;
    __WARPTREE_MEMBER_BOTH constexpr __half(_Float16 x) : __x(x) {}
    __WARPTREE_MEMBER_BOTH constexpr __half(float x) : __x(static_cast<_Float16>(x)) {}
    __WARPTREE_MEMBER_BOTH constexpr __half(double x) : __x(static_cast<_Float16>(x)) {}
    __WARPTREE_MEMBER_BOTH constexpr __half(int x) : __x(static_cast<_Float16>(x)) {}
    __WARPTREE_MEMBER_BOTH constexpr __half(unsigned int x) : __x(static_cast<_Float16>(x)) {}
    __WARPTREE_MEMBER_BOTH constexpr __half(short x) : __x(static_cast<_Float16>(x)) {}
    __WARPTREE_MEMBER_BOTH constexpr __half(unsigned short x) : __x(static_cast<_Float16>(x)) {}
    __WARPTREE_MEMBER_BOTH constexpr __half(long long x) : __x(static_cast<_Float16>(x)) {}
    __WARPTREE_MEMBER_BOTH constexpr __half(unsigned long long x) : __x(static_cast<_Float16>(x)) {}
    __WARPTREE_MEMBER_BOTH __half(__half_raw r) : __x(__builtin_bit_cast(_Float16, r.x)) {}
    __WARPTREE_MEMBER_BOTH operator __half_raw() const { return {__builtin_bit_cast(unsigned short, __x)}; }
    __WARPTREE_MEMBER_BOTH constexpr operator float() const { return static_cast<float>(__x); }
    __WARPTREE_MEMBER_BOTH explicit constexpr operator bool() const { return __x != 0; }
    __WARPTREE_MEMBER_BOTH explicit constexpr operator int() const { return static_cast<int>(__x); }
    __WARPTREE_MEMBER_BOTH explicit constexpr operator unsigned int() const { return static_cast<unsigned int>(__x); }
    __WARPTREE_MEMBER_BOTH explicit constexpr operator short() const { return static_cast<short>(__x); }
    __WARPTREE_MEMBER_BOTH explicit constexpr operator unsigned short() const {
        return static_cast<unsigned short>(__x);
    }
    __WARPTREE_MEMBER_BOTH explicit constexpr operator long long() const { return static_cast<long long>(__x); }
    __WARPTREE_MEMBER_BOTH __half& operator=(float x) {
        __x = static_cast<_Float16>(x);
        return *this;
    }
    __WARPTREE_MEMBER_BOTH __half& operator=(double x) {
        __x = static_cast<_Float16>(x);
        return *this;
    }
    __WARPTREE_MEMBER_BOTH __half& operator=(int x) {
        __x = static_cast<_Float16>(x);
        return *this;
    }
};
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
    __half2() = default;
    __WARPTREE_MEMBER_BOTH constexpr __half2(__half x, __half y) : x(x), y(y) {}
};

__WARPTREE_BOTH __half2 make_half2(__half x, __half y) { return {x, y}; }
__WARPTREE_BOTH __half __float2half(float x) { return x; }
__WARPTREE_BOTH __half __float2half_rn(float x) { return x; }
__WARPTREE_BOTH __half __double2half(double x) { return x; }
__WARPTREE_BOTH float __half2float(__half x) { return static_cast<float>(x.__x); }
__WARPTREE_BOTH __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
__WARPTREE_BOTH __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
__WARPTREE_BOTH __half2 __float22half2_rn(float2 v) { return {__half(v.x), __half(v.y)}; }
__WARPTREE_BOTH float2 __half22float2(__half2 v) { return {__half2float(v.x), __half2float(v.y)}; }
__WARPTREE_BOTH float __low2float(__half2 v) { return __half2float(v.x); }
__WARPTREE_BOTH float __high2float(__half2 v) { return __half2float(v.y); }
__WARPTREE_BOTH __half __low2half(__half2 v) { return v.x; }
__WARPTREE_BOTH __half __high2half(__half2 v) { return v.y; }
__WARPTREE_BOTH __half2 __half2half2(__half x) { return {x, x}; }
__WARPTREE_BOTH __half2 __halves2half2(__half x, __half y) { return {x, y}; }
__WARPTREE_BOTH __half2 __lowhigh2highlow(__half2 v) { return {v.y, v.x}; }
__WARPTREE_BOTH __half2 __low2half2(__half2 v) { return {v.x, v.x}; }
__WARPTREE_BOTH __half2 __high2half2(__half2 v) { return {v.y, v.y}; }
__WARPTREE_BOTH __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
__WARPTREE_BOTH __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
__WARPTREE_BOTH short __half_as_short(__half x) { return __builtin_bit_cast(short, x.__x); }
__WARPTREE_BOTH unsigned short __half_as_ushort(__half x) { return __builtin_bit_cast(unsigned short, x.__x); }
__WARPTREE_BOTH __half __short_as_half(short x) { return __builtin_bit_cast(_Float16, x); }
__WARPTREE_BOTH __half __ushort_as_half(unsigned short x) { return __builtin_bit_cast(_Float16, x); }
__WARPTREE_BOTH int __half2int_rn(__half x) { return __float2int_rn(__half2float(x)); }
__WARPTREE_BOTH int __half2int_rz(__half x) { return static_cast<int>(x.__x); }
__WARPTREE_BOTH int __half2int_ru(__half x) { return __float2int_ru(__half2float(x)); }
__WARPTREE_BOTH int __half2int_rd(__half x) { return __float2int_rd(__half2float(x)); }
__WARPTREE_BOTH unsigned int __half2uint_rn(__half x) { return __float2uint_rn(__half2float(x)); }
__WARPTREE_BOTH unsigned int __half2uint_rz(__half x) { return static_cast<unsigned int>(x.__x); }
__WARPTREE_BOTH __half __int2half_rn(int x) { return x; }
__WARPTREE_BOTH __half __uint2half_rn(unsigned int x) { return x; }
__WARPTREE_BOTH __half __short2half_rn(short x) { return x; }
__WARPTREE_BOTH __half __ushort2half_rn(unsigned short x) { return x; }

// For a scalar and, with suffix 2, for both halves of a pair.
#define __WARPTREE_HALF_2(name, value)                                                                                 \
    __WARPTREE_BOTH __half name(__half a, __half b) { return static_cast<_Float16>(value(a.__x, b.__x)); }             \
    __WARPTREE_BOTH __half2 name##2(__half2 a, __half2 b) { return {name(a.x, b.x), name(a.y, b.y)}; }
#define __WARPTREE_HALF_1(scalar, pair, value)                                                                         \
    __WARPTREE_BOTH __half scalar(__half a) { return value; }                                                          \
    __WARPTREE_BOTH __half2 pair(__half2 a) { return {scalar(a.x), scalar(a.y)}; }
#define __WARPTREE_ADD(a, b) a + b
#define __WARPTREE_SUB(a, b) a - b
#define __WARPTREE_MUL(a, b) a* b
#define __WARPTREE_DIV(a, b) a / b
__WARPTREE_HALF_2(__hadd, __WARPTREE_ADD)
__WARPTREE_HALF_2(__hsub, __WARPTREE_SUB)
__WARPTREE_HALF_2(__hmul, __WARPTREE_MUL)
__WARPTREE_HALF_2(__hmin, __builtin_elementwise_min)
__WARPTREE_HALF_2(__hmax, __builtin_elementwise_max)
__WARPTREE_BOTH __half __hdiv(__half a, __half b) { return static_cast<_Float16>(a.__x / b.__x); }
__WARPTREE_BOTH __half2 __h2div(__half2 a, __half2 b) { return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }
__WARPTREE_BOTH __half __hfma(__half a, __half b, __half c) { return __builtin_fmaf16(a.__x, b.__x, c.__x); }
__WARPTREE_BOTH __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
__WARPTREE_HALF_1(__hneg, __hneg2, static_cast<_Float16>(-a.__x))
__WARPTREE_HALF_1(__habs, __habs2, __builtin_fabsf16(a.__x))
__WARPTREE_HALF_1(hsqrt, h2sqrt, sqrtf(__half2float(a)))
__WARPTREE_HALF_1(hrsqrt, h2rsqrt, rsqrtf(__half2float(a)))
__WARPTREE_HALF_1(hrcp, h2rcp, 1.0F / __half2float(a))
__WARPTREE_HALF_1(hexp, h2exp, expf(__half2float(a)))
__WARPTREE_HALF_1(hexp2, h2exp2, exp2f(__half2float(a)))
__WARPTREE_HALF_1(hexp10, h2exp10, exp10f(__half2float(a)))
__WARPTREE_HALF_1(hlog, h2log, logf(__half2float(a)))
__WARPTREE_HALF_1(hlog2, h2log2, log2f(__half2float(a)))
__WARPTREE_HALF_1(hlog10, h2log10, log10f(__half2float(a)))
__WARPTREE_HALF_1(hsin, h2sin, sinf(__half2float(a)))
__WARPTREE_HALF_1(hcos, h2cos, cosf(__half2float(a)))
__WARPTREE_HALF_1(htanh, h2tanh, tanhf(__half2float(a)))
__WARPTREE_HALF_1(hfloor, h2floor, floorf(__half2float(a)))
__WARPTREE_HALF_1(hceil, h2ceil, ceilf(__half2float(a)))
__WARPTREE_HALF_1(htrunc, h2trunc, truncf(__half2float(a)))
__WARPTREE_HALF_1(hrint, h2rint, rintf(__half2float(a)))
#undef __WARPTREE_HALF_1
#undef __WARPTREE_HALF_2

#define __WARPTREE_HALF_COMPARE(name, op)                                                                              \
    __WARPTREE_BOTH bool __h##name(__half a, __half b) { return a.__x op b.__x; }                                      \
    __WARPTREE_BOTH bool __hb##name##2(__half2 a, __half2 b) { return (a.x.__x op b.x.__x) & (a.y.__x op b.y.__x); }   \
    __WARPTREE_BOTH __half2 __h##name##2(__half2 a, __half2 b) {                                                       \
        return {__half(static_cast<int>(a.x.__x op b.x.__x)), __half(static_cast<int>(a.y.__x op b.y.__x))};           \
    }                                                                                                                  \
    __WARPTREE_BOTH bool operator op(__half a, __half b) { return a.__x op b.__x; }
__WARPTREE_HALF_COMPARE(eq, ==)
__WARPTREE_HALF_COMPARE(ne, !=)
__WARPTREE_HALF_COMPARE(lt, <)
__WARPTREE_HALF_COMPARE(le, <=)
__WARPTREE_HALF_COMPARE(gt, >)
__WARPTREE_HALF_COMPARE(ge, >=)
#undef __WARPTREE_HALF_COMPARE
__WARPTREE_BOTH bool __hisnan(__half a) { return a.__x != a.__x; }
__WARPTREE_BOTH bool __hisinf(__half a) { return __builtin_fabsf16(a.__x) == static_cast<_Float16>(INFINITY); }
__WARPTREE_BOTH bool isnan(__half a) { return a.__x != a.__x; }

#define __WARPTREE_HALF_OPERATOR(op, function, pair)                                                                   \
    __WARPTREE_BOTH __half operator op(__half a, __half b) { return function(a, b); }                                  \
    __WARPTREE_BOTH __half2 operator op(__half2 a, __half2 b) { return pair(a, b); }                                   \
    __WARPTREE_BOTH __half& operator op##=(__half& a, __half b) { return a = function(a, b); }                         \
    __WARPTREE_BOTH __half2& operator op##=(__half2& a, __half2 b) { return a = pair(a, b); }
__WARPTREE_HALF_OPERATOR(+, __hadd, __hadd2)
__WARPTREE_HALF_OPERATOR(-, __hsub, __hsub2)
__WARPTREE_HALF_OPERATOR(*, __hmul, __hmul2)
__WARPTREE_HALF_OPERATOR(/, __hdiv, __h2div)
#undef __WARPTREE_HALF_OPERATOR
__WARPTREE_BOTH __half operator-(__half a) { return __hneg(a); }
__WARPTREE_BOTH __half operator+(__half a) { return a; }
__WARPTREE_BOTH __half2 operator-(__half2 a) { return __hneg2(a); }
__WARPTREE_BOTH __half& operator++(__half& a) { return a = __hadd(a, __half(1)); }

#define __WARPTREE_HALF_SHUFFLE(name, L)                                                                               \
    __WARPTREE_DEVICE __half name(unsigned int mask, __half var, L lane, int width = 32) {                             \
        return __ushort_as_half(                                                                                       \
            static_cast<unsigned short>(name(mask, static_cast<unsigned int>(__half_as_ushort(var)), lane, width)));   \
    }                                                                                                                  \
    __WARPTREE_DEVICE __half2 name(unsigned int mask, __half2 var, L lane, int width = 32) {                           \
        return __builtin_bit_cast(__half2, name(mask, __builtin_bit_cast(unsigned int, var), lane, width));            \
    }
__WARPTREE_HALF_SHUFFLE(__shfl_sync, int)
__WARPTREE_HALF_SHUFFLE(__shfl_up_sync, unsigned int)
__WARPTREE_HALF_SHUFFLE(__shfl_down_sync, unsigned int)
__WARPTREE_HALF_SHUFFLE(__shfl_xor_sync, int)
#undef __WARPTREE_HALF_SHUFFLE

__WARPTREE_HINTS(__half, _Float16)
typedef _Float16 __warptree_access_half2 __attribute__((ext_vector_type(2)));
__WARPTREE_HINTS(__half2, __warptree_access_half2)

__WARPTREE_DEVICE __half atomicAdd(__half* address, __half value) {
    return __atomic_fetch_add(&address->__x, value.__x, __ATOMIC_RELAXED);
}
// On a GPU one instruction, which adds each half atomically and not the pair.
__WARPTREE_DEVICE __half2 atomicAdd(__half2* address, __half2 value) {
    return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
#define CUDART_INF_FP16 __ushort_as_half(static_cast<unsigned short>(0x7C00U))
#define CUDART_NAN_FP16 __ushort_as_half(static_cast<unsigned short>(0x7FFFU))
#define CUDART_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x0000U))
#define CUDART_ONE_FP16 __ushort_as_half(static_cast<unsigned short>(0x3C00U))
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(static_cast<unsigned short>(0x7BFFU))
