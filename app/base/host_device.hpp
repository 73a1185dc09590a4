// What both compilers may call.
#pragma once

#if defined(__CUDACC__)
#define WARPTREE_HD __host__ __device__ __forceinline__
#else
#define WARPTREE_HD __attribute__((always_inline)) inline
#endif
