// Names of cuRAND's host side, so that files that have them parse; host code is not run.
#pragma once

#include "warptree/host.h"

typedef struct __warptree_generator* curandGenerator_t;
enum curandStatus_t { CURAND_STATUS_SUCCESS, CURAND_STATUS_NOT_INITIALIZED, CURAND_STATUS_LAUNCH_FAILURE };
enum curandRngType_t {
    CURAND_RNG_PSEUDO_DEFAULT,
    CURAND_RNG_PSEUDO_XORWOW,
    CURAND_RNG_PSEUDO_MRG32K3A,
    CURAND_RNG_PSEUDO_MTGP32,
    CURAND_RNG_PSEUDO_MT19937,
    CURAND_RNG_PSEUDO_PHILOX4_32_10,
    CURAND_RNG_QUASI_DEFAULT,
    CURAND_RNG_QUASI_SOBOL32
};
typedef enum curandRngType_t curandRngType;
extern "C" {
curandStatus_t curandCreateGenerator(curandGenerator_t*, curandRngType_t);
curandStatus_t curandDestroyGenerator(curandGenerator_t);
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t, unsigned long long);
curandStatus_t curandSetStream(curandGenerator_t, cudaStream_t);
curandStatus_t curandGenerate(curandGenerator_t, unsigned int*, size_t);
curandStatus_t curandGenerateUniform(curandGenerator_t, float*, size_t);
curandStatus_t curandGenerateUniformDouble(curandGenerator_t, double*, size_t);
curandStatus_t curandGenerateNormal(curandGenerator_t, float*, size_t, float, float);
curandStatus_t curandGenerateNormalDouble(curandGenerator_t, double*, size_t, double, double);
}
