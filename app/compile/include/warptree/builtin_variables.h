// threadIdx, blockIdx, blockDim, gridDim: each reading of a member reads a special register.
#pragma once

#include "warptree/types.h"

#define __WARPTREE_READ(member, value)                                                                                 \
    __declspec(property(get = __read_##member)) unsigned int member;                                                   \
    __WARPTREE_MEMBER unsigned int __read_##member() const { return value; }
#define __WARPTREE_VARIABLE(name, reg, T)                                                                              \
    struct __warptree_##name##_t {                                                                                     \
        __WARPTREE_READ(x, __nvvm_read_ptx_sreg_##reg##_x())                                                           \
        __WARPTREE_READ(y, __nvvm_read_ptx_sreg_##reg##_y())                                                           \
        __WARPTREE_READ(z, __nvvm_read_ptx_sreg_##reg##_z())                                                           \
        __WARPTREE_MEMBER operator T() const { return {__read_x(), __read_y(), __read_z()}; }                          \
    };                                                                                                                 \
    extern const __device__ __attribute__((weak)) __warptree_##name##_t name;
__WARPTREE_VARIABLE(threadIdx, tid, uint3)
__WARPTREE_VARIABLE(blockIdx, ctaid, uint3)
__WARPTREE_VARIABLE(blockDim, ntid, dim3)
__WARPTREE_VARIABLE(gridDim, nctaid, dim3)
#undef __WARPTREE_VARIABLE
#undef __WARPTREE_READ
