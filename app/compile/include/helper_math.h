// The vector arithmetic of CUDA's samples: operators, and what shaders call, for types of two to four components.
#pragma once

#include <cuda_runtime.h>
#include <math.h>

#define __WARPTREE_VECTOR static inline __host__ __device__ __attribute__((unused))

// From one scalar; from longer types, and from shorter ones with the rest; from another type of as many components.
#define __WARPTREE_MADE(_T, _S)                                                                                        \
    __WARPTREE_VECTOR _T##2 make_##_T##2(_S __s) { return {__s, __s}; }                                                \
    __WARPTREE_VECTOR _T##3 make_##_T##3(_S __s) { return {__s, __s, __s}; }                                           \
    __WARPTREE_VECTOR _T##4 make_##_T##4(_S __s) { return {__s, __s, __s, __s}; }                                      \
    __WARPTREE_VECTOR _T##2 make_##_T##2(_T##3 __a) { return {__a.x, __a.y}; }                                         \
    __WARPTREE_VECTOR _T##3 make_##_T##3(_T##4 __a) { return {__a.x, __a.y, __a.z}; }                                  \
    __WARPTREE_VECTOR _T##3 make_##_T##3(_T##2 __a, _S __z = 0) { return {__a.x, __a.y, __z}; }                        \
    __WARPTREE_VECTOR _T##4 make_##_T##4(_T##3 __a, _S __w = 0) { return {__a.x, __a.y, __a.z, __w}; }
#define __WARPTREE_CONVERTED(_T, _S, _FROM)                                                                            \
    __WARPTREE_VECTOR _T##2 make_##_T##2(_FROM##2 __a) { return {_S(__a.x), _S(__a.y)}; }                              \
    __WARPTREE_VECTOR _T##3 make_##_T##3(_FROM##3 __a) { return {_S(__a.x), _S(__a.y), _S(__a.z)}; }                   \
    __WARPTREE_VECTOR _T##4 make_##_T##4(_FROM##4 __a) { return {_S(__a.x), _S(__a.y), _S(__a.z), _S(__a.w)}; }
__WARPTREE_MADE(float, float)
__WARPTREE_MADE(int, int)
__WARPTREE_MADE(uint, unsigned)
__WARPTREE_CONVERTED(float, float, int)
__WARPTREE_CONVERTED(float, float, uint)
__WARPTREE_CONVERTED(int, int, float)
__WARPTREE_CONVERTED(int, int, uint)
__WARPTREE_CONVERTED(uint, unsigned, float)
__WARPTREE_CONVERTED(uint, unsigned, int)
#undef __WARPTREE_CONVERTED
#undef __WARPTREE_MADE

// What stands before a component of each operand: __WARPTREE_EACH2(__a., + __b.) is {__a.x + __b.x, __a.y + __b.y}.
#define __WARPTREE_EACH2(_A, _B)                                                                                       \
    { _A x _B x, _A y _B y }
#define __WARPTREE_EACH3(_A, _B)                                                                                       \
    { _A x _B x, _A y _B y, _A z _B z }
#define __WARPTREE_EACH4(_A, _B)                                                                                       \
    { _A x _B x, _A y _B y, _A z _B z, _A w _B w }
// What a macro makes of each component's name.
#define __WARPTREE_OF2(_F)                                                                                             \
    { _F(x), _F(y) }
#define __WARPTREE_OF3(_F)                                                                                             \
    { _F(x), _F(y), _F(z) }
#define __WARPTREE_OF4(_F)                                                                                             \
    { _F(x), _F(y), _F(z), _F(w) }

#define __WARPTREE_OPERATOR(_V, _S, _N, _op)                                                                           \
    __WARPTREE_VECTOR _V operator _op(_V __a, _V __b) { return __WARPTREE_EACH##_N(__a., _op __b.); }                  \
    __WARPTREE_VECTOR _V operator _op(_V __a, _S __b) { return __a _op make_##_V(__b); }                               \
    __WARPTREE_VECTOR _V operator _op(_S __a, _V __b) { return make_##_V(__a) _op __b; }                               \
    __WARPTREE_VECTOR void operator _op##=(_V& __a, _V __b) { __a = __a _op __b; }                                     \
    __WARPTREE_VECTOR void operator _op##=(_V& __a, _S __b) { __a = __a _op __b; }
#define __WARPTREE_OPERATORS(_V, _S, _N)                                                                               \
    __WARPTREE_OPERATOR(_V, _S, _N, +)                                                                                 \
    __WARPTREE_OPERATOR(_V, _S, _N, -)                                                                                 \
    __WARPTREE_OPERATOR(_V, _S, _N, *)
#define __WARPTREE_ARITHMETIC(_T, _S)                                                                                  \
    __WARPTREE_OPERATORS(_T##2, _S, 2)                                                                                 \
    __WARPTREE_OPERATORS(_T##3, _S, 3)                                                                                 \
    __WARPTREE_OPERATORS(_T##4, _S, 4)                                                                                 \
    __WARPTREE_VECTOR _S dot(_T##2 __a, _T##2 __b) { return __a.x * __b.x + __a.y * __b.y; }                           \
    __WARPTREE_VECTOR _S dot(_T##3 __a, _T##3 __b) { return __a.x * __b.x + __a.y * __b.y + __a.z * __b.z; }           \
    __WARPTREE_VECTOR _S dot(_T##4 __a, _T##4 __b) {                                                                   \
        return __a.x * __b.x + __a.y * __b.y + __a.z * __b.z + __a.w * __b.w;                                          \
    }
__WARPTREE_ARITHMETIC(float, float)
__WARPTREE_ARITHMETIC(int, int)
__WARPTREE_ARITHMETIC(uint, unsigned)
__WARPTREE_OPERATOR(float2, float, 2, /)
__WARPTREE_OPERATOR(float3, float, 3, /)
__WARPTREE_OPERATOR(float4, float, 4, /)
#undef __WARPTREE_ARITHMETIC
#undef __WARPTREE_OPERATORS
#undef __WARPTREE_OPERATOR

#define __WARPTREE_MIN(_m) min(__a._m, __b._m)
#define __WARPTREE_MAX(_m) max(__a._m, __b._m)
#define __WARPTREE_FMIN(_m) fminf(__a._m, __b._m)
#define __WARPTREE_FMAX(_m) fmaxf(__a._m, __b._m)
#define __WARPTREE_CLAMP(_m) clamp(__v._m, __a._m, __b._m)
#define __WARPTREE_FLOOR(_m) floorf(__a._m)
#define __WARPTREE_FMOD(_m) fmodf(__a._m, __b._m)
#define __WARPTREE_FABS(_m) fabsf(__a._m)
#define __WARPTREE_ABS(_m) abs(__a._m)
#define __WARPTREE_MINUS(_m) -__a._m

__WARPTREE_VECTOR float lerp(float __a, float __b, float __t) { return __a + __t * (__b - __a); }
__WARPTREE_VECTOR float clamp(float __v, float __a, float __b) { return fmaxf(__a, fminf(__v, __b)); }
__WARPTREE_VECTOR int clamp(int __v, int __a, int __b) { return max(__a, min(__v, __b)); }
__WARPTREE_VECTOR unsigned clamp(unsigned __v, unsigned __a, unsigned __b) { return max(__a, min(__v, __b)); }
__WARPTREE_VECTOR float fracf(float __v) { return __v - floorf(__v); }
__WARPTREE_VECTOR float smoothstep(float __a, float __b, float __x) {
    const float __y = clamp((__x - __a) / (__b - __a), 0.0f, 1.0f);
    return __y * __y * (3.0f - 2.0f * __y);
}
__WARPTREE_VECTOR float3 cross(float3 __a, float3 __b) {
    return {__a.y * __b.z - __a.z * __b.y, __a.z * __b.x - __a.x * __b.z, __a.x * __b.y - __a.y * __b.x};
}

#define __WARPTREE_BOUNDED(_V, _S, _N)                                                                                 \
    __WARPTREE_VECTOR _V clamp(_V __v, _V __a, _V __b) { return __WARPTREE_OF##_N(__WARPTREE_CLAMP); }                 \
    __WARPTREE_VECTOR _V clamp(_V __v, _S __a, _S __b) { return clamp(__v, make_##_V(__a), make_##_V(__b)); }
#define __WARPTREE_WHOLE(_V, _S, _N)                                                                                   \
    __WARPTREE_VECTOR _V min(_V __a, _V __b) { return __WARPTREE_OF##_N(__WARPTREE_MIN); }                             \
    __WARPTREE_VECTOR _V max(_V __a, _V __b) { return __WARPTREE_OF##_N(__WARPTREE_MAX); }                             \
    __WARPTREE_BOUNDED(_V, _S, _N)
#define __WARPTREE_SIGNED(_V, _N)                                                                                      \
    __WARPTREE_VECTOR _V operator-(const _V& __a) { return __WARPTREE_OF##_N(__WARPTREE_MINUS); }
#define __WARPTREE_FLOATING(_V, _N)                                                                                    \
    __WARPTREE_BOUNDED(_V, float, _N)                                                                                  \
    __WARPTREE_VECTOR _V fminf(_V __a, _V __b) { return __WARPTREE_OF##_N(__WARPTREE_FMIN); }                          \
    __WARPTREE_VECTOR _V fmaxf(_V __a, _V __b) { return __WARPTREE_OF##_N(__WARPTREE_FMAX); }                          \
    __WARPTREE_VECTOR _V fmodf(_V __a, _V __b) { return __WARPTREE_OF##_N(__WARPTREE_FMOD); }                          \
    __WARPTREE_VECTOR _V floorf(_V __a) { return __WARPTREE_OF##_N(__WARPTREE_FLOOR); }                                \
    __WARPTREE_VECTOR _V fabs(_V __a) { return __WARPTREE_OF##_N(__WARPTREE_FABS); }                                   \
    __WARPTREE_VECTOR _V fracf(_V __a) { return __a - floorf(__a); }                                                   \
    __WARPTREE_VECTOR _V lerp(_V __a, _V __b, float __t) { return __a + __t * (__b - __a); }                           \
    __WARPTREE_VECTOR float length(_V __a) { return sqrtf(dot(__a, __a)); }                                            \
    __WARPTREE_VECTOR _V normalize(_V __a) { return __a * rsqrtf(dot(__a, __a)); }                                     \
    __WARPTREE_VECTOR _V smoothstep(_V __a, _V __b, _V __x) {                                                          \
        const _V __y = clamp((__x - __a) / (__b - __a), 0.0f, 1.0f);                                                   \
        return __y * __y * (3.0f - 2.0f * __y);                                                                        \
    }
#define __WARPTREE_SIGNED_WHOLE(_V, _N)                                                                                \
    __WARPTREE_SIGNED(_V, _N)                                                                                          \
    __WARPTREE_WHOLE(_V, int, _N)                                                                                      \
    __WARPTREE_VECTOR _V abs(_V __a) { return __WARPTREE_OF##_N(__WARPTREE_ABS); }
__WARPTREE_SIGNED(float2, 2)
__WARPTREE_SIGNED(float3, 3)
__WARPTREE_SIGNED(float4, 4)
__WARPTREE_FLOATING(float2, 2)
__WARPTREE_FLOATING(float3, 3)
__WARPTREE_FLOATING(float4, 4)
__WARPTREE_SIGNED_WHOLE(int2, 2)
__WARPTREE_SIGNED_WHOLE(int3, 3)
__WARPTREE_SIGNED_WHOLE(int4, 4)
__WARPTREE_WHOLE(uint2, unsigned, 2)
__WARPTREE_WHOLE(uint3, unsigned, 3)
__WARPTREE_WHOLE(uint4, unsigned, 4)
__WARPTREE_VECTOR float2 reflect(float2 __i, float2 __n) { return __i - 2.0f * __n * dot(__n, __i); }
__WARPTREE_VECTOR float3 reflect(float3 __i, float3 __n) { return __i - 2.0f * __n * dot(__n, __i); }

#undef __WARPTREE_VECTOR
#undef __WARPTREE_EACH2
#undef __WARPTREE_EACH3
#undef __WARPTREE_EACH4
#undef __WARPTREE_OF2
#undef __WARPTREE_OF3
#undef __WARPTREE_OF4
#undef __WARPTREE_MIN
#undef __WARPTREE_MAX
#undef __WARPTREE_FMIN
#undef __WARPTREE_FMAX
#undef __WARPTREE_CLAMP
#undef __WARPTREE_FLOOR
#undef __WARPTREE_FMOD
#undef __WARPTREE_FABS
#undef __WARPTREE_ABS
#undef __WARPTREE_MINUS
#undef __WARPTREE_BOUNDED
#undef __WARPTREE_WHOLE
#undef __WARPTREE_SIGNED
#undef __WARPTREE_FLOATING
#undef __WARPTREE_SIGNED_WHOLE
