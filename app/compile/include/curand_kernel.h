// The device side of cuRAND: distributions and names are cuRAND's, the numbers are not. One generator stands for all:
// the k-th number of a sequence is a mix of seed, sequence and k, so that an offset skips exactly as many.
#pragma once

#include <curand.h>

#include "warptree/math.h"

struct __warptree_random {
    unsigned long long __key, __drawn;
};
struct curandStateXORWOW : __warptree_random {};
struct curandStateMRG32k3a : __warptree_random {};
struct curandStatePhilox4_32_10 : __warptree_random {};
struct curandStateMtgp32 : __warptree_random {
    unsigned int __of[256]; // by thread; cuRAND's state is for no more threads of a block
};
struct curandStateSobol32 : __warptree_random {};
struct curandStateSobol64 : __warptree_random {};
typedef curandStateXORWOW curandStateXORWOW_t, curandState, curandState_t;
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef curandStateMtgp32 curandStateMtgp32_t;
typedef curandStateSobol32 curandStateSobol32_t;
typedef curandStateSobol64 curandStateSobol64_t;

__WARPTREE_DEVICE unsigned long long __warptree_mix(unsigned long long __z) { // SplitMix64
    __z = (__z ^ (__z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    __z = (__z ^ (__z >> 27)) * 0x94D049BB133111EBULL;
    return __z ^ (__z >> 31);
}
__WARPTREE_DEVICE unsigned long long __warptree_draw(__warptree_random* __s) {
    __s->__drawn += 1;
    return __warptree_mix(__s->__key + __s->__drawn * 0x9E3779B97F4A7C15ULL);
}

__WARPTREE_DEVICE void curand_init(unsigned long long __seed, unsigned long long __sequence,
                                   unsigned long long __offset, __warptree_random* __s) {
    __s->__key =
        __warptree_mix(__seed + 0x9E3779B97F4A7C15ULL) ^ __warptree_mix(__sequence * 0xD1342543DE82EF95ULL + 1);
    __s->__drawn = __offset;
}
__WARPTREE_DEVICE void skipahead(unsigned long long __n, __warptree_random* __s) { __s->__drawn += __n; }
__WARPTREE_DEVICE void skipahead_sequence(unsigned long long __n, __warptree_random* __s) {
    __s->__key ^= __warptree_mix(__n * 0xD1342543DE82EF95ULL + 1);
}

// Integers; then (0, 1], as cuRAND's uniform distributions are.
__WARPTREE_DEVICE unsigned int curand(__warptree_random* __s) {
    return static_cast<unsigned int>(__warptree_draw(__s) >> 32);
}
__WARPTREE_DEVICE uint4 curand4(__warptree_random* __s) {
    const unsigned int __x = curand(__s), __y = curand(__s), __z = curand(__s), __w = curand(__s);
    return {__x, __y, __z, __w};
}
__WARPTREE_DEVICE float curand_uniform(__warptree_random* __s) {
    return (static_cast<float>(curand(__s) >> 8) + 1.0f) * 0x1p-24f;
}
__WARPTREE_DEVICE double curand_uniform_double(__warptree_random* __s) {
    return (static_cast<double>(__warptree_draw(__s) >> 11) + 1.0) * 0x1p-53;
}
__WARPTREE_DEVICE float4 curand_uniform4(__warptree_random* __s) {
    const float __x = curand_uniform(__s), __y = curand_uniform(__s), __z = curand_uniform(__s),
                __w = curand_uniform(__s);
    return {__x, __y, __z, __w};
}
__WARPTREE_DEVICE double2 curand_uniform2_double(__warptree_random* __s) {
    const double __x = curand_uniform_double(__s), __y = curand_uniform_double(__s);
    return {__x, __y};
}

// Box and Muller's: two normal numbers of two uniform ones.
__WARPTREE_DEVICE float2 curand_normal2(__warptree_random* __s) {
    const float __radius = sqrtf(-2.0f * logf(curand_uniform(__s)));
    const float __angle = 6.2831853f * curand_uniform(__s);
    return {__radius * cosf(__angle), __radius * sinf(__angle)};
}
__WARPTREE_DEVICE double2 curand_normal2_double(__warptree_random* __s) {
    const double __radius = sqrt(-2.0 * log(curand_uniform_double(__s)));
    const double __angle = 6.283185307179586 * curand_uniform_double(__s);
    return {__radius * cos(__angle), __radius * sin(__angle)};
}
__WARPTREE_DEVICE float curand_normal(__warptree_random* __s) { return __warptree_re(curand_normal2(__s)); }
__WARPTREE_DEVICE double curand_normal_double(__warptree_random* __s) {
    return __warptree_re(curand_normal2_double(__s));
}
__WARPTREE_DEVICE float4 curand_normal4(__warptree_random* __s) {
    const float2 __a = curand_normal2(__s), __b = curand_normal2(__s);
    return {__warptree_re(__a), __warptree_im(__a), __warptree_re(__b), __warptree_im(__b)};
}
__WARPTREE_DEVICE float curand_log_normal(__warptree_random* __s, float __mean, float __deviation) {
    return expf(__mean + __deviation * curand_normal(__s));
}
__WARPTREE_DEVICE double curand_log_normal_double(__warptree_random* __s, double __mean, double __deviation) {
    return exp(__mean + __deviation * curand_normal_double(__s));
}
__WARPTREE_DEVICE float2 curand_log_normal2(__warptree_random* __s, float __mean, float __deviation) {
    const float2 __n = curand_normal2(__s);
    return {expf(__mean + __deviation * __warptree_re(__n)), expf(__mean + __deviation * __warptree_im(__n))};
}
// Knuth's product of uniform numbers; for large lambda the normal distribution that it comes near to.
__WARPTREE_DEVICE unsigned int curand_poisson(__warptree_random* __s, double __lambda) {
    if (__lambda > 64.0) {
        const double __x = floor(__lambda + sqrt(__lambda) * curand_normal_double(__s) + 0.5);
        return __x < 0.0 ? 0U : static_cast<unsigned int>(__x);
    }
    const double __end = exp(-__lambda);
    unsigned int __count = 0;
    for (double __product = curand_uniform_double(__s); __product > __end; __product *= curand_uniform_double(__s))
        __count += 1;
    return __count;
}

// MTGP32: the threads of a block share a state and call its functions together. Each has a sequence of its own; a call
// takes the state sixteen numbers further, as many as one may draw.
__WARPTREE_DEVICE __warptree_random __warptree_turn(curandStateMtgp32* __s) {
    const unsigned int __rank = (__nvvm_read_ptx_sreg_tid_z() * __nvvm_read_ptx_sreg_ntid_y() + __nvvm_read_ptx_sreg_tid_y()) *
                                    __nvvm_read_ptx_sreg_ntid_x() +
                                __nvvm_read_ptx_sreg_tid_x();
    __syncthreads();
    const __warptree_random __own{__s->__key ^ __warptree_mix(__rank + 1ULL), __s->__drawn};
    __syncthreads();
    __s->__of[__rank % 256] = __rank; // a further thread races here
    if (__rank == 0) __s->__drawn += 16;
    __syncthreads();
    return __own;
}
#define __WARPTREE_TOGETHER(T, name)                                                                                   \
    __WARPTREE_DEVICE T name(curandStateMtgp32* __s) {                                                                 \
        __warptree_random __own = __warptree_turn(__s);                                                                \
        return name(&__own);                                                                                           \
    }
__WARPTREE_TOGETHER(unsigned int, curand)
__WARPTREE_TOGETHER(float, curand_uniform)
__WARPTREE_TOGETHER(double, curand_uniform_double)
__WARPTREE_TOGETHER(float, curand_normal)
__WARPTREE_TOGETHER(double, curand_normal_double)
#undef __WARPTREE_TOGETHER
__WARPTREE_DEVICE float curand_log_normal(curandStateMtgp32* __s, float __mean, float __deviation) {
    __warptree_random __own = __warptree_turn(__s);
    return curand_log_normal(&__own, __mean, __deviation);
}
__WARPTREE_DEVICE double curand_log_normal_double(curandStateMtgp32* __s, double __mean, double __deviation) {
    __warptree_random __own = __warptree_turn(__s);
    return curand_log_normal_double(&__own, __mean, __deviation);
}
__WARPTREE_DEVICE unsigned int curand_poisson(curandStateMtgp32* __s, double __lambda) {
    __warptree_random __own = __warptree_turn(__s);
    return curand_poisson(&__own, __lambda);
}
