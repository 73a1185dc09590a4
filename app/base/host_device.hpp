// What both compilers may call.
#pragma once

#if defined(__CUDACC__)
#define WARPTREE_HD __host__ __device__ __forceinline__
#else
#define WARPTREE_HD __attribute__((always_inline)) inline
#endif

// The same, but a call in device code.
#if defined(__CUDA_ARCH__)
#define WARPTREE_HD_CALL __host__ __device__ __noinline__
#else
#define WARPTREE_HD_CALL WARPTREE_HD
#endif
