// Right: a state of MTGP32 serves 256 threads of a block; those beyond use the places of the first 256, a race inside curand_normal (line 6).
#include <curand_kernel.h>

__global__ void noise(curandStateMtgp32* states, float* out) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = curand_normal(&states[blockIdx.x]);
}
