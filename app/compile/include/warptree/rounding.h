// Arithmetic that names its rounding: rn to nearest, rz towards zero, ru up, rd down. It is never fused with other
// operations. To nearest is the plain operation; the others are instructions that the machine knows by libdevice's name
// (it rounds them to nearest), whose bodies are for PTX.
#pragma once

#include "warptree/bits.h"

#define __WARPTREE_UNFUSED _Pragma("clang fp contract(off)")
__WARPTREE_BOTH float __fadd_rn(float x, float y) { __WARPTREE_UNFUSED return x + y; }
__WARPTREE_BOTH float __fsub_rn(float x, float y) { __WARPTREE_UNFUSED return x - y; }
__WARPTREE_BOTH float __fmul_rn(float x, float y) { __WARPTREE_UNFUSED return x * y; }
__WARPTREE_BOTH float __fdiv_rn(float x, float y) { __WARPTREE_UNFUSED return x / y; }
__WARPTREE_BOTH float __frcp_rn(float x) { __WARPTREE_UNFUSED return 1.0F / x; }
__WARPTREE_BOTH float __fsqrt_rn(float x) { __WARPTREE_UNFUSED return __builtin_sqrtf(x); }
__WARPTREE_BOTH float __fmaf_rn(float x, float y, float z) { __WARPTREE_UNFUSED return __builtin_fmaf(x, y, z); }
__WARPTREE_BOTH double __dadd_rn(double x, double y) { __WARPTREE_UNFUSED return x + y; }
__WARPTREE_BOTH double __dsub_rn(double x, double y) { __WARPTREE_UNFUSED return x - y; }
__WARPTREE_BOTH double __dmul_rn(double x, double y) { __WARPTREE_UNFUSED return x * y; }
__WARPTREE_BOTH double __ddiv_rn(double x, double y) { __WARPTREE_UNFUSED return x / y; }
__WARPTREE_BOTH double __drcp_rn(double x) { __WARPTREE_UNFUSED return 1.0 / x; }
__WARPTREE_BOTH double __dsqrt_rn(double x) { __WARPTREE_UNFUSED return __builtin_sqrt(x); }
__WARPTREE_BOTH double __fma_rn(double x, double y, double z) { __WARPTREE_UNFUSED return __builtin_fma(x, y, z); }

#undef __WARPTREE_UNFUSED

// A function of libdevice and CUDA's of the same meaning.
#define __WARPTREE_ROUNDED(T, name, parameters, arguments, instruction)                                                \
    extern "C" __device__ __attribute__((noinline, nodebug)) inline T __nv_##name parameters { return instruction; }   \
    __WARPTREE_DEVICE T __##name parameters { return __nv_##name arguments; }
#define __WARPTREE_MODE(mode, ptx)                                                                                     \
    __WARPTREE_ROUNDED(float, fadd_##mode, (float x, float y), (x, y), __nvvm_add_##ptx##_f(x, y))                     \
    __WARPTREE_ROUNDED(float, fsub_##mode, (float x, float y), (x, y), __nvvm_add_##ptx##_f(x, -y))                    \
    __WARPTREE_ROUNDED(float, fmul_##mode, (float x, float y), (x, y), __nvvm_mul_##ptx##_f(x, y))                     \
    __WARPTREE_ROUNDED(float, fdiv_##mode, (float x, float y), (x, y), __nvvm_div_##ptx##_f(x, y))                     \
    __WARPTREE_ROUNDED(float, frcp_##mode, (float x), (x), __nvvm_rcp_##ptx##_f(x))                                    \
    __WARPTREE_ROUNDED(float, fsqrt_##mode, (float x), (x), __nvvm_sqrt_##ptx##_f(x))                                  \
    __WARPTREE_ROUNDED(float, fmaf_##mode, (float x, float y, float z), (x, y, z), __nvvm_fma_##ptx##_f(x, y, z))      \
    __WARPTREE_ROUNDED(double, dadd_##mode, (double x, double y), (x, y), __nvvm_add_##ptx##_d(x, y))                  \
    __WARPTREE_ROUNDED(double, dsub_##mode, (double x, double y), (x, y), __nvvm_add_##ptx##_d(x, -y))                 \
    __WARPTREE_ROUNDED(double, dmul_##mode, (double x, double y), (x, y), __nvvm_mul_##ptx##_d(x, y))                  \
    __WARPTREE_ROUNDED(double, ddiv_##mode, (double x, double y), (x, y), __nvvm_div_##ptx##_d(x, y))                  \
    __WARPTREE_ROUNDED(double, drcp_##mode, (double x), (x), __nvvm_rcp_##ptx##_d(x))                                  \
    __WARPTREE_ROUNDED(double, dsqrt_##mode, (double x), (x), __nvvm_sqrt_##ptx##_d(x))                                \
    __WARPTREE_ROUNDED(double, fma_##mode, (double x, double y, double z), (x, y, z), __nvvm_fma_##ptx##_d(x, y, z))
__WARPTREE_MODE(rz, rz)
__WARPTREE_MODE(ru, rp)
__WARPTREE_MODE(rd, rm)
#undef __WARPTREE_MODE
#undef __WARPTREE_ROUNDED
