// The device side of cuRAND: distributions and names are its own, the numbers are not. One generator stands for all: the
// k-th number of a sequence is a mix of seed, sequence and k, so that an offset skips exactly as many.
#pragma once

#include "curand.h"

#include "warptree/math.h"

struct __warptree_random {
    unsigned long long key, drawn;
};
struct curandStateXORWOW : __warptree_random {};
struct curandStateMRG32k3a : __warptree_random {};
struct curandStatePhilox4_32_10 : __warptree_random {};
struct curandStateMtgp32 : __warptree_random {};
struct curandStateSobol32 : __warptree_random {};
struct curandStateSobol64 : __warptree_random {};
typedef curandStateXORWOW curandStateXORWOW_t, curandState, curandState_t;
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef curandStateMtgp32 curandStateMtgp32_t;
typedef curandStateSobol32 curandStateSobol32_t;
typedef curandStateSobol64 curandStateSobol64_t;

__WARPTREE_DEVICE unsigned long long __warptree_mix(unsigned long long z) { // SplitMix64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}
__WARPTREE_DEVICE unsigned long long __warptree_draw(__warptree_random* s) {
    s->drawn += 1;
    return __warptree_mix(s->key + s->drawn * 0x9E3779B97F4A7C15ULL);
}

__WARPTREE_DEVICE void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                                   __warptree_random* s) {
    s->key = __warptree_mix(seed + 0x9E3779B97F4A7C15ULL) ^ __warptree_mix(sequence * 0xD1342543DE82EF95ULL + 1);
    s->drawn = offset;
}
__WARPTREE_DEVICE void skipahead(unsigned long long n, __warptree_random* s) { s->drawn += n; }
__WARPTREE_DEVICE void skipahead_sequence(unsigned long long n, __warptree_random* s) {
    s->key ^= __warptree_mix(n * 0xD1342543DE82EF95ULL + 1);
}

// Integers; then (0, 1], as cuRAND's uniform distributions are.
__WARPTREE_DEVICE unsigned int curand(__warptree_random* s) {
    return static_cast<unsigned int>(__warptree_draw(s) >> 32);
}
__WARPTREE_DEVICE uint4 curand4(__warptree_random* s) {
    const unsigned int x = curand(s), y = curand(s), z = curand(s), w = curand(s);
    return {x, y, z, w};
}
__WARPTREE_DEVICE float curand_uniform(__warptree_random* s) {
    return (static_cast<float>(curand(s) >> 8) + 1.0f) * 0x1p-24f;
}
__WARPTREE_DEVICE double curand_uniform_double(__warptree_random* s) {
    return (static_cast<double>(__warptree_draw(s) >> 11) + 1.0) * 0x1p-53;
}
__WARPTREE_DEVICE float4 curand_uniform4(__warptree_random* s) {
    const float x = curand_uniform(s), y = curand_uniform(s), z = curand_uniform(s), w = curand_uniform(s);
    return {x, y, z, w};
}
__WARPTREE_DEVICE double2 curand_uniform2_double(__warptree_random* s) {
    const double x = curand_uniform_double(s), y = curand_uniform_double(s);
    return {x, y};
}

// Box and Muller's: two normal numbers of two uniform ones.
__WARPTREE_DEVICE float2 curand_normal2(__warptree_random* s) {
    const float radius = sqrtf(-2.0f * logf(curand_uniform(s)));
    const float angle = 6.2831853f * curand_uniform(s);
    return {radius * cosf(angle), radius * sinf(angle)};
}
__WARPTREE_DEVICE double2 curand_normal2_double(__warptree_random* s) {
    const double radius = sqrt(-2.0 * log(curand_uniform_double(s)));
    const double angle = 6.283185307179586 * curand_uniform_double(s);
    return {radius * cos(angle), radius * sin(angle)};
}
__WARPTREE_DEVICE float curand_normal(__warptree_random* s) { return curand_normal2(s).x; }
__WARPTREE_DEVICE double curand_normal_double(__warptree_random* s) { return curand_normal2_double(s).x; }
__WARPTREE_DEVICE float4 curand_normal4(__warptree_random* s) {
    const float2 a = curand_normal2(s), b = curand_normal2(s);
    return {a.x, a.y, b.x, b.y};
}
__WARPTREE_DEVICE float curand_log_normal(__warptree_random* s, float mean, float deviation) {
    return expf(mean + deviation * curand_normal(s));
}
__WARPTREE_DEVICE double curand_log_normal_double(__warptree_random* s, double mean, double deviation) {
    return exp(mean + deviation * curand_normal_double(s));
}
__WARPTREE_DEVICE float2 curand_log_normal2(__warptree_random* s, float mean, float deviation) {
    const float2 n = curand_normal2(s);
    return {expf(mean + deviation * n.x), expf(mean + deviation * n.y)};
}
// Knuth's product of uniform numbers; for large lambda the normal distribution that it comes near to.
__WARPTREE_DEVICE unsigned int curand_poisson(__warptree_random* s, double lambda) {
    if (lambda > 64.0) {
        const double x = floor(lambda + sqrt(lambda) * curand_normal_double(s) + 0.5);
        return x < 0.0 ? 0U : static_cast<unsigned int>(x);
    }
    const double end = exp(-lambda);
    unsigned int count = 0;
    for (double product = curand_uniform_double(s); product > end; product *= curand_uniform_double(s)) count += 1;
    return count;
}
