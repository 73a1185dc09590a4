// CUDA's keywords, and how functions of these headers are declared: always inlined and without debug records, so that
// their work belongs to the line that calls them.
#pragma once

#ifdef __WARPTREE_PLAIN // a compiler of C++: warptree-host, which defines what host.h declares
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#else
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#endif
#if defined(__WARPTREE_HOST) && !defined(__WARPTREE_PLAIN) // by its section warptree-host knows it
#define __managed__ __attribute__((device)) __attribute__((section("warptree_managed")))
#else
#define __managed__ __attribute__((device))
#endif
#define __grid_constant__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#if defined(__WARPTREE_PLAIN) || defined(__WARPTREE_HOST)
#define __cluster_dims__(...)
#else // read by front_end_facts.cpp
#define __cluster_dims__(...) __attribute__((annotate("__cluster_dims__", __VA_ARGS__)))
#endif
#define __block_size__(...)
#define __maxnreg__(...)
#ifndef __WARPTREE_HOST // the system's headers name the attribute so; Clang knows the keyword
#define __noinline__ __attribute__((noinline))
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __nv_pure__ __attribute__((pure))
#define __tile_static__ __attribute__((shared))
#define CUDARTAPI
#define CUDAAPI
#define CUDART_CB
#define CUDA_CB

#ifndef __WARPTREE_PLAIN
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#define __CUDA_ARCH_LIST__ 900
#endif
#define CUDART_VERSION 12080
#define CUDA_VERSION 12080
#define CUDA_RUNTIME_API_VERSION 12080

#ifdef __WARPTREE_PLAIN
#define __WARPTREE_BOTH static inline
#define __WARPTREE_MEMBER_BOTH inline
#else
#define __WARPTREE_DEVICE static inline __attribute__((device, always_inline, nodebug))
#define __WARPTREE_BOTH static inline __attribute__((host, device, always_inline, nodebug))
// Of names that the C library has too: where the host's code is compiled, that is the host's.
#ifdef __WARPTREE_HOST
#define __WARPTREE_C_NAME __WARPTREE_DEVICE
#else
#define __WARPTREE_C_NAME __WARPTREE_BOTH
#endif
// Of classes.
#define __WARPTREE_MEMBER inline __attribute__((device, always_inline, nodebug))
#define __WARPTREE_LAMBDA __attribute__((device, always_inline, nodebug))
#define __WARPTREE_MEMBER_BOTH inline __attribute__((host, device, always_inline, nodebug))

// Every warp has this many lanes.
__device__ const int warpSize = 32;
#endif
