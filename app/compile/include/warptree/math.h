// The functions of the CUDA Math API in single and double precision. Functions with a hardware instruction are builtins
// of Clang; the rest have the names of libdevice, by which the machine knows them.
#pragma once

#include "warptree/bits.h"

#ifndef __WARPTREE_HOST
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif

// f(double), ff(float) and the overloads of C++: f(float), f(an integer).
#define __WARPTREE_OVERLOADS_1(name, of_float, of_double)                                                              \
    __WARPTREE_C_NAME float name##f(float x) { return of_float(x); }                                                     \
    __WARPTREE_C_NAME double name(double x) { return of_double(x); }                                                     \
    __WARPTREE_C_NAME float name(float x) { return of_float(x); }                                                        \
    template <class T>                                                                                                 \
    __WARPTREE_C_NAME typename __warptree_enable<__is_integral(T), double>::type name(T x) {                             \
        return of_double(static_cast<double>(x));                                                                      \
    }
#define __WARPTREE_OVERLOADS_2(name, of_float, of_double)                                                              \
    __WARPTREE_C_NAME float name##f(float x, float y) { return of_float(x, y); }                                         \
    __WARPTREE_C_NAME double name(double x, double y) { return of_double(x, y); }                                        \
    __WARPTREE_C_NAME float name(float x, float y) { return of_float(x, y); }                                            \
    template <class T, class U>                                                                                        \
    __WARPTREE_C_NAME                                                                                                    \
    typename __warptree_enable<__is_arithmetic(T) && __is_arithmetic(U) && !(__warptree_same<T, U> &&                  \
                                                                             __is_floating_point(T)),                  \
                               double>::type                                                                           \
    name(T x, U y) {                                                                                                   \
        return of_double(static_cast<double>(x), static_cast<double>(y));                                              \
    }
#define __WARPTREE_BUILTIN_1(name) __WARPTREE_OVERLOADS_1(name, __builtin_##name##f, __builtin_##name)
#define __WARPTREE_BUILTIN_2(name) __WARPTREE_OVERLOADS_2(name, __builtin_##name##f, __builtin_##name)
#define __WARPTREE_LIBDEVICE_1(name)                                                                                   \
    extern "C" __device__ __attribute__((const)) float __nv_##name##f(float);                                          \
    extern "C" __device__ __attribute__((const)) double __nv_##name(double);                                           \
    __WARPTREE_OVERLOADS_1(name, __nv_##name##f, __nv_##name)
#define __WARPTREE_LIBDEVICE_2(name)                                                                                   \
    extern "C" __device__ __attribute__((const)) float __nv_##name##f(float, float);                                   \
    extern "C" __device__ __attribute__((const)) double __nv_##name(double, double);                                   \
    __WARPTREE_OVERLOADS_2(name, __nv_##name##f, __nv_##name)

__WARPTREE_BUILTIN_1(sqrt)
__WARPTREE_BUILTIN_1(fabs)
__WARPTREE_BUILTIN_1(floor)
__WARPTREE_BUILTIN_1(ceil)
__WARPTREE_BUILTIN_1(trunc)
__WARPTREE_BUILTIN_1(rint)
__WARPTREE_BUILTIN_1(nearbyint)
__WARPTREE_BUILTIN_1(round)
__WARPTREE_BUILTIN_2(fmin)
__WARPTREE_BUILTIN_2(fmax)
__WARPTREE_BUILTIN_2(copysign)
__WARPTREE_LIBDEVICE_1(rsqrt)
__WARPTREE_LIBDEVICE_1(cbrt)
__WARPTREE_LIBDEVICE_1(exp)
__WARPTREE_LIBDEVICE_1(exp2)
__WARPTREE_LIBDEVICE_1(exp10)
__WARPTREE_LIBDEVICE_1(expm1)
__WARPTREE_LIBDEVICE_1(log)
__WARPTREE_LIBDEVICE_1(log2)
__WARPTREE_LIBDEVICE_1(log10)
__WARPTREE_LIBDEVICE_1(log1p)
__WARPTREE_LIBDEVICE_1(sin)
__WARPTREE_LIBDEVICE_1(cos)
__WARPTREE_LIBDEVICE_1(tan)
__WARPTREE_LIBDEVICE_1(sinpi)
__WARPTREE_LIBDEVICE_1(cospi)
__WARPTREE_LIBDEVICE_1(asin)
__WARPTREE_LIBDEVICE_1(acos)
__WARPTREE_LIBDEVICE_1(atan)
__WARPTREE_LIBDEVICE_1(sinh)
__WARPTREE_LIBDEVICE_1(cosh)
__WARPTREE_LIBDEVICE_1(tanh)
__WARPTREE_LIBDEVICE_1(asinh)
__WARPTREE_LIBDEVICE_1(acosh)
__WARPTREE_LIBDEVICE_1(atanh)
__WARPTREE_LIBDEVICE_1(erf)
__WARPTREE_LIBDEVICE_1(erfc)
__WARPTREE_LIBDEVICE_1(erfinv)
__WARPTREE_LIBDEVICE_1(normcdf)
__WARPTREE_LIBDEVICE_1(tgamma)
__WARPTREE_LIBDEVICE_1(lgamma)
__WARPTREE_LIBDEVICE_2(pow)
__WARPTREE_LIBDEVICE_2(atan2)
__WARPTREE_LIBDEVICE_2(fmod)
__WARPTREE_LIBDEVICE_2(remainder)
__WARPTREE_LIBDEVICE_2(hypot)
__WARPTREE_LIBDEVICE_2(nextafter)
#undef __WARPTREE_BUILTIN_1
#undef __WARPTREE_BUILTIN_2
#undef __WARPTREE_LIBDEVICE_1
#undef __WARPTREE_LIBDEVICE_2

extern "C" __device__ __attribute__((const)) float __nv_ldexpf(float, int);
extern "C" __device__ __attribute__((const)) double __nv_ldexp(double, int);
extern "C" __device__ __attribute__((const)) float __nv_saturatef(float);
__WARPTREE_C_NAME float __saturatef(float x) { return __nv_saturatef(x); }

// Written for T in float and double; what they call is overloaded. `s` ends their names: f, or nothing.
#define __WARPTREE_COMPOSED(T, s)                                                                                      \
    __WARPTREE_C_NAME T fma##s(T x, T y, T z) { return __builtin_fma##s(x, y, z); }                                      \
    __WARPTREE_C_NAME T ldexp##s(T x, int power) { return __nv_ldexp##s(x, power); }                                     \
    __WARPTREE_C_NAME T scalbn##s(T x, int power) { return __nv_ldexp##s(x, power); }                                    \
    __WARPTREE_C_NAME T scalbln##s(T x, long power) { return __nv_ldexp##s(x, static_cast<int>(power)); }                \
    __WARPTREE_C_NAME T fdim##s(T x, T y) { return __builtin_fmax##s(x - y, 0); }                                        \
    __WARPTREE_C_NAME T rcbrt##s(T x) { return 1 / cbrt(x); }                                                            \
    __WARPTREE_C_NAME T rhypot##s(T x, T y) { return 1 / hypot(x, y); }                                                  \
    __WARPTREE_C_NAME T norm3d##s(T x, T y, T z) { return sqrt(x * x + y * y + z * z); }                                 \
    __WARPTREE_C_NAME T norm4d##s(T x, T y, T z, T w) { return sqrt(x * x + y * y + z * z + w * w); }                    \
    __WARPTREE_C_NAME T rnorm3d##s(T x, T y, T z) { return rsqrt(x * x + y * y + z * z); }                               \
    __WARPTREE_C_NAME T rnorm4d##s(T x, T y, T z, T w) { return rsqrt(x * x + y * y + z * z + w * w); }                  \
    __WARPTREE_C_NAME T norm##s(int count, const T* values) {                                                            \
        T sum = 0;                                                                                                     \
        for (int i = 0; i < count; ++i) sum += values[i] * values[i];                                                  \
        return sqrt(sum);                                                                                              \
    }                                                                                                                  \
    __WARPTREE_C_NAME T rnorm##s(int count, const T* values) { return 1 / norm##s(count, values); }                      \
    __WARPTREE_C_NAME T erfcinv##s(T x) { return erfinv(1 - x); }                                                        \
    __WARPTREE_C_NAME T normcdfinv##s(T x) { return static_cast<T>(M_SQRT2) * erfinv(2 * x - 1); }                       \
    __WARPTREE_C_NAME void sincos##s(T x, T* sine, T* cosine) {                                                          \
        *sine = sin(x);                                                                                                \
        *cosine = cos(x);                                                                                              \
    }                                                                                                                  \
    __WARPTREE_C_NAME void sincospi##s(T x, T* sine, T* cosine) {                                                        \
        *sine = sinpi(x);                                                                                              \
        *cosine = cospi(x);                                                                                            \
    }                                                                                                                  \
    __WARPTREE_C_NAME T modf##s(T x, T* whole) {                                                                         \
        *whole = trunc(x);                                                                                             \
        return copysign(x - *whole, x);                                                                                \
    }                                                                                                                  \
    __WARPTREE_C_NAME int ilogb##s(T x) {                                                                                \
        T scaled = fabs(x);                                                                                            \
        int power = static_cast<int>(floor(log2(scaled)));                                                             \
        scaled = __nv_ldexp##s(scaled, -power); /* between 1 and 2, but where log2 was rounded */                      \
        return power + (scaled >= 2) - (scaled < 1);                                                                   \
    }                                                                                                                  \
    __WARPTREE_C_NAME T logb##s(T x) { return static_cast<T>(ilogb##s(x)); }                                             \
    __WARPTREE_C_NAME T frexp##s(T x, int* power) {                                                                      \
        if (x == 0 || x - x != 0) {                                                                                    \
            *power = 0;                                                                                                \
            return x;                                                                                                  \
        }                                                                                                              \
        *power = ilogb##s(x) + 1;                                                                                      \
        return __nv_ldexp##s(x, -*power);                                                                              \
    }                                                                                                                  \
    __WARPTREE_C_NAME long lrint##s(T x) { return static_cast<long>(rint(x)); }                                          \
    __WARPTREE_C_NAME long long llrint##s(T x) { return static_cast<long long>(rint(x)); }                               \
    __WARPTREE_C_NAME long lround##s(T x) { return static_cast<long>(round(x)); }                                        \
    __WARPTREE_C_NAME long long llround##s(T x) { return static_cast<long long>(round(x)); }                             \
    __WARPTREE_C_NAME T nan##s(const char*) { return static_cast<T>(NAN); }
__WARPTREE_COMPOSED(float, f)
__WARPTREE_COMPOSED(double, )
#undef __WARPTREE_COMPOSED
__WARPTREE_C_NAME float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__WARPTREE_C_NAME float ldexp(float x, int power) { return __nv_ldexpf(x, power); }
__WARPTREE_C_NAME float modf(float x, float* whole) { return modff(x, whole); }
__WARPTREE_C_NAME float frexp(float x, int* power) { return frexpf(x, power); }
__WARPTREE_C_NAME long lrint(float x) { return lrintf(x); }
__WARPTREE_C_NAME long long llrint(float x) { return llrintf(x); }
__WARPTREE_C_NAME long lround(float x) { return lroundf(x); }
__WARPTREE_C_NAME long long llround(float x) { return llroundf(x); }
__WARPTREE_C_NAME float fdividef(float x, float y) { return x / y; }

// Faster and less exact on a GPU.
#define __WARPTREE_FAST_1(name)                                                                                        \
    extern "C" __device__ __attribute__((const)) float __nv_fast_##name(float);                                        \
    __WARPTREE_DEVICE float __##name(float x) { return __nv_fast_##name(x); }
__WARPTREE_FAST_1(expf)
__WARPTREE_FAST_1(exp10f)
__WARPTREE_FAST_1(logf)
__WARPTREE_FAST_1(log2f)
__WARPTREE_FAST_1(log10f)
__WARPTREE_FAST_1(sinf)
__WARPTREE_FAST_1(cosf)
__WARPTREE_FAST_1(tanf)
__WARPTREE_FAST_1(tanhf)
#undef __WARPTREE_FAST_1
extern "C" __device__ __attribute__((const)) float __nv_fast_powf(float, float);
__WARPTREE_DEVICE float __powf(float x, float y) { return __nv_fast_powf(x, y); }
__WARPTREE_DEVICE float __fdividef(float x, float y) { return x / y; }
__WARPTREE_DEVICE float __frsqrt_rn(float x) { return __nv_rsqrtf(x); }
__WARPTREE_DEVICE void __sincosf(float x, float* sine, float* cosine) {
    *sine = __sinf(x);
    *cosine = __cosf(x);
}

// Without branches, as the source has none.
#define __WARPTREE_CLASSIFY(T, U, s)                                                                                   \
    __WARPTREE_C_NAME bool isnan(T x) { return x != x; }                                                                 \
    __WARPTREE_C_NAME bool isinf(T x) { return __builtin_fabs##s(x) == __builtin_inf##s(); }                                           \
    __WARPTREE_C_NAME bool isfinite(T x) { return __builtin_fabs##s(x) < __builtin_inf##s(); }                                          \
    __WARPTREE_C_NAME bool signbit(T x) { return __builtin_bit_cast(U, x) >> (sizeof(U) * 8 - 1) != 0; }                 \
    __WARPTREE_C_NAME bool isunordered(T x, T y) { return __builtin_isunordered(x, y); }                                 \
    __WARPTREE_C_NAME bool isgreater(T x, T y) { return x > y; }                                                         \
    __WARPTREE_C_NAME bool isgreaterequal(T x, T y) { return x >= y; }                                                   \
    __WARPTREE_C_NAME bool isless(T x, T y) { return x < y; }                                                            \
    __WARPTREE_C_NAME bool islessequal(T x, T y) { return x <= y; }
__WARPTREE_CLASSIFY(float, unsigned int, f)
__WARPTREE_CLASSIFY(double, unsigned long long, )
#undef __WARPTREE_CLASSIFY
#define __WARPTREE_OF_INTEGER(name, value)                                                                             \
    template <class T>                                                                                                 \
    __WARPTREE_C_NAME typename __warptree_enable<__is_integral(T), bool>::type name(T) {                                 \
        return value;                                                                                                  \
    }
__WARPTREE_OF_INTEGER(isnan, false)
__WARPTREE_OF_INTEGER(isinf, false)
__WARPTREE_OF_INTEGER(isfinite, true)
#undef __WARPTREE_OF_INTEGER

// Smaller, larger, absolute: each one operation.
#define __WARPTREE_EXTREMES(A, B, R)                                                                                   \
    __WARPTREE_C_NAME R min(A a, B b) {                                                                        \
        return __builtin_elementwise_min(static_cast<R>(a), static_cast<R>(b));                                        \
    }                                                                                                                  \
    __WARPTREE_C_NAME R max(A a, B b) {                                                                        \
        return __builtin_elementwise_max(static_cast<R>(a), static_cast<R>(b));                                        \
    }
#define __WARPTREE_EXTREMES_OF_INTEGER(T)                                                                              \
    __WARPTREE_EXTREMES(T, T, T)                                                                                       \
    __WARPTREE_EXTREMES(unsigned T, unsigned T, unsigned T)                                                            \
    __WARPTREE_EXTREMES(T, unsigned T, unsigned T)                                                                     \
    __WARPTREE_EXTREMES(unsigned T, T, unsigned T)
__WARPTREE_EXTREMES_OF_INTEGER(int)
__WARPTREE_EXTREMES_OF_INTEGER(long)
__WARPTREE_EXTREMES_OF_INTEGER(long long)
__WARPTREE_EXTREMES(float, float, float)
__WARPTREE_EXTREMES(double, double, double)
__WARPTREE_EXTREMES(float, double, double)
__WARPTREE_EXTREMES(double, float, double)
#undef __WARPTREE_EXTREMES_OF_INTEGER
#undef __WARPTREE_EXTREMES
__WARPTREE_C_NAME unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
__WARPTREE_C_NAME unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
__WARPTREE_C_NAME long long llmin(long long a, long long b) { return min(a, b); }
__WARPTREE_C_NAME long long llmax(long long a, long long b) { return max(a, b); }
__WARPTREE_C_NAME unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
__WARPTREE_C_NAME unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }
#define __WARPTREE_ABSOLUTE(T)                                                                                         \
    __WARPTREE_C_NAME T abs(T x) { return __builtin_elementwise_abs(x); }
__WARPTREE_ABSOLUTE(int)
__WARPTREE_ABSOLUTE(long)
__WARPTREE_ABSOLUTE(long long)
__WARPTREE_ABSOLUTE(float)
__WARPTREE_ABSOLUTE(double)
#undef __WARPTREE_ABSOLUTE
__WARPTREE_C_NAME long labs(long x) { return abs(x); }
__WARPTREE_C_NAME long long llabs(long long x) { return abs(x); }
