// Marks functions that host and device code may both call.
#pragma once

#if defined(__CUDACC__)
#define WARPTREE_HD __host__ __device__ __forceinline__
#else
#define WARPTREE_HD __attribute__((always_inline)) inline
#endif
