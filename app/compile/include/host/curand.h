// cuRAND's host side, computed by the host: pseudorandom numbers of the distributions that it has, but not the same numbers.
#pragma once

#include "warptree/curand_types.h"

#include "host/library.h"

#include <random>

struct __warptree_generator {
    std::mt19937_64 engine;
    unsigned long long seed = 0, offset = 0;
    void restart() {
        engine.seed(seed);
        engine.discard(offset);
    }
};

__WARPTREE_CALL curandStatus_t curandCreateGenerator(curandGenerator_t* to, curandRngType_t type) {
    if (type >= CURAND_RNG_QUASI_DEFAULT) return CURAND_STATUS_TYPE_ERROR; // not part of warptree
    *to = new __warptree_generator;
    (*to)->restart();
    return CURAND_STATUS_SUCCESS;
}
__WARPTREE_CALL curandStatus_t curandCreateGeneratorHost(curandGenerator_t* to, curandRngType_t type) {
    return curandCreateGenerator(to, type);
}
__WARPTREE_CALL curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
    delete generator;
    return CURAND_STATUS_SUCCESS;
}
__WARPTREE_CALL curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
    generator->seed = seed;
    generator->restart();
    return CURAND_STATUS_SUCCESS;
}
__WARPTREE_CALL curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
    generator->offset = offset;
    generator->restart();
    return CURAND_STATUS_SUCCESS;
}
__WARPTREE_CALL curandStatus_t curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t) {
    return CURAND_STATUS_SUCCESS;
}
__WARPTREE_CALL curandStatus_t curandSetStream(curandGenerator_t, cudaStream_t) { return CURAND_STATUS_SUCCESS; }
__WARPTREE_CALL curandStatus_t curandGenerateSeeds(curandGenerator_t) { return CURAND_STATUS_SUCCESS; }

template <class _T> __WARPTREE_CALL curandStatus_t __warptree_put_numbers(_T* to, const std::vector<_T>& all) {
    return __warptree_store(to, all) ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}
// In (0, 1], as cuRAND's.
inline float __warptree_uniform(curandGenerator_t g, float) {
    return static_cast<float>((g->engine() >> 40) + 1) * 0x1p-24F;
}
inline double __warptree_uniform(curandGenerator_t g, double) {
    return static_cast<double>((g->engine() >> 11) + 1) * 0x1p-53;
}
__WARPTREE_CALL curandStatus_t curandGenerate(curandGenerator_t g, unsigned int* to, size_t n) {
    std::vector<unsigned int> all(n);
    for (unsigned int& x : all) x = static_cast<unsigned int>(g->engine() >> 32);
    return __warptree_put_numbers(to, all);
}
__WARPTREE_CALL curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long* to, size_t n) {
    std::vector<unsigned long long> all(n);
    for (unsigned long long& x : all) x = g->engine();
    return __warptree_put_numbers(to, all);
}
__WARPTREE_CALL curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned int* to, size_t n, double mean) {
    std::vector<unsigned int> all(n);
    std::poisson_distribution<unsigned int> poisson(mean);
    for (unsigned int& x : all) x = poisson(g->engine);
    return __warptree_put_numbers(to, all);
}
#define __WARPTREE_NUMBERS(_T, END)                                                                                     \
    __WARPTREE_CALL curandStatus_t curandGenerateUniform##END(curandGenerator_t g, _T* to, size_t n) {                    \
        std::vector<_T> all(n);                                                                                         \
        for (_T& x : all) x = __warptree_uniform(g, _T{});                                                               \
        return __warptree_put_numbers(to, all);                                                                        \
    }                                                                                                                  \
    __WARPTREE_CALL curandStatus_t curandGenerateNormal##END(curandGenerator_t g, _T* to, size_t n, _T mean, _T deviation) { \
        if (n % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;                                                      \
        std::vector<_T> all(n);                                                                                         \
        std::normal_distribution<_T> normal(mean, deviation);                                                           \
        for (_T& x : all) x = normal(g->engine);                                                                        \
        return __warptree_put_numbers(to, all);                                                                        \
    }                                                                                                                  \
    __WARPTREE_CALL curandStatus_t curandGenerateLogNormal##END(curandGenerator_t g, _T* to, size_t n, _T mean,            \
                                                                _T deviation) {                                         \
        if (n % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;                                                      \
        std::vector<_T> all(n);                                                                                         \
        std::lognormal_distribution<_T> normal(mean, deviation);                                                        \
        for (_T& x : all) x = normal(g->engine);                                                                        \
        return __warptree_put_numbers(to, all);                                                                        \
    }
__WARPTREE_NUMBERS(float, )
__WARPTREE_NUMBERS(double, Double)
#undef __WARPTREE_NUMBERS
