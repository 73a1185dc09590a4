// Declarations that the texts of lower_snippet() may use without including anything.
#pragma once

namespace warptree::tests {

inline constexpr const char* kSnippetHeader = R"(
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define OURS static __inline__ __attribute__((device, always_inline, nodebug))
typedef __SIZE_TYPE__ size_t;
struct uint3 { unsigned x, y, z; };
struct __attribute__((aligned(8))) float2 { float x, y; };
struct __attribute__((aligned(16))) float4 { float x, y, z, w; };
struct __attribute__((aligned(16))) int4 { int x, y, z, w; };
struct __attribute__((aligned(16))) double2 { double x, y; };
struct __attribute__((aligned(4))) uchar4 { unsigned char x, y, z, w; };
#define GETTER(f, e) __declspec(property(get = get_##f)) unsigned f; \
    __attribute__((device, always_inline, nodebug)) unsigned get_##f() const { return e; }
#define REGISTER(name, sreg) struct name##_t { GETTER(x, __nvvm_read_ptx_sreg_##sreg##_x()) \
    GETTER(y, __nvvm_read_ptx_sreg_##sreg##_y()) GETTER(z, __nvvm_read_ptx_sreg_##sreg##_z()) }; \
    extern const __device__ __attribute__((weak)) name##_t name;
REGISTER(threadIdx, tid) REGISTER(blockIdx, ctaid) REGISTER(blockDim, ntid) REGISTER(gridDim, nctaid)
__attribute__((device)) const int warpSize = 32;
extern "C" {
__attribute__((device, noinline, convergent)) unsigned __warptree_shuffle_32(int, unsigned, unsigned, unsigned, int);
__attribute__((device, noinline, convergent)) unsigned long long __warptree_shuffle_64(int, unsigned, unsigned long long,
                                                                                       unsigned, int);
__attribute__((device, convergent)) void __warptree_grid_sync();
__device__ void __assertfail(const char*, const char*, unsigned, const char*, size_t);
__device__ int printf(const char*, ...);
__device__ void* malloc(size_t);
__device__ void free(void*);
__device__ float __nv_expf(float);
__device__ double __nv_pow(double, double);
}
#define assert(e) ((e) ? (void)0 : __assertfail(#e, __FILE__, __LINE__, __func__, 1))
OURS void __syncwarp(unsigned mask = ~0u) { __nvvm_bar_warp_sync(mask); }
OURS void __threadfence() { __nvvm_membar_gl(); }
OURS int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
OURS unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
#define SHUFFLES(T, bits, U) \
    OURS T __shfl_down_sync(unsigned m, T v, unsigned d, int w = 32) { \
        return __builtin_bit_cast(T, __warptree_shuffle_##bits(0, m, __builtin_bit_cast(U, v), d, w)); } \
    OURS T __shfl_up_sync(unsigned m, T v, unsigned d, int w = 32) { \
        return __builtin_bit_cast(T, __warptree_shuffle_##bits(1, m, __builtin_bit_cast(U, v), d, w)); } \
    OURS T __shfl_xor_sync(unsigned m, T v, int d, int w = 32) { \
        return __builtin_bit_cast(T, __warptree_shuffle_##bits(2, m, __builtin_bit_cast(U, v), d, w)); }
SHUFFLES(int, 32, unsigned) SHUFFLES(unsigned, 32, unsigned) SHUFFLES(float, 32, unsigned)
SHUFFLES(double, 64, unsigned long long) SHUFFLES(long long, 64, unsigned long long)
#define ATOMICS(T) \
    OURS T atomicAdd(T* p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); } \
    OURS T atomicExch(T* p, T v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); } \
    OURS T atomicMax(T* p, T v) { return __atomic_fetch_max(p, v, __ATOMIC_RELAXED); } \
    OURS T atomicCAS(T* p, T c, T v) { \
        __atomic_compare_exchange_n(p, &c, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); return c; }
ATOMICS(int) ATOMICS(unsigned) ATOMICS(unsigned long long)
OURS float atomicAdd(float* p, float v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
OURS unsigned atomicInc(unsigned* p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
OURS int atomicAdd_block(int* p, int v) { return __nvvm_atom_cta_add_gen_i(p, v); }
#define MINMAX(T) OURS T max(T a, T b) { return __builtin_elementwise_max(a, b); } \
    OURS T min(T a, T b) { return __builtin_elementwise_min(a, b); }
MINMAX(int) MINMAX(unsigned) MINMAX(float) MINMAX(double)
)";

} // namespace warptree::tests
