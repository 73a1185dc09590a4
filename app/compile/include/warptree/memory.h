// Loads and stores with cache hints, address spaces, asynchronous copies to shared memory. A vector is one
// access, as it is one instruction on a GPU.
#pragma once

#include "warptree/types.h"

// A hint says how long a line is worth keeping, which changes no value. A store past the L1 cache counts as streaming: other
// blocks may see it at once. `access` is the type that the machine loads.
#define __WARPTREE_LOAD(name, T, access, qualifier)                                                                    \
    __WARPTREE_DEVICE T name(const T* address) {                                                                       \
        const access value = *reinterpret_cast<const qualifier access*>(address);                                      \
        return __builtin_bit_cast(T, value);                                                                           \
    }
#define __WARPTREE_LOAD_STREAMING(name, T, access)                                                                     \
    __WARPTREE_DEVICE T name(const T* address) {                                                                       \
        return __builtin_bit_cast(T, __builtin_nontemporal_load(reinterpret_cast<const access*>(address)));            \
    }
#define __WARPTREE_STORE(name, T, access, qualifier)                                                                   \
    __WARPTREE_DEVICE void name(T* address, T value) {                                                                 \
        *reinterpret_cast<qualifier access*>(address) = __builtin_bit_cast(access, value);                             \
    }
#define __WARPTREE_STORE_STREAMING(name, T, access)                                                                    \
    __WARPTREE_DEVICE void name(T* address, T value) {                                                                 \
        __builtin_nontemporal_store(__builtin_bit_cast(access, value), reinterpret_cast<access*>(address));            \
    }
#define __WARPTREE_HINTS(T, access)                                                                                    \
    __WARPTREE_LOAD(__ldg, T, access, )                                                                                \
    __WARPTREE_LOAD(__ldca, T, access, )                                                                               \
    __WARPTREE_LOAD(__ldcg, T, access, )                                                                               \
    __WARPTREE_LOAD_STREAMING(__ldcs, T, access)                                                                       \
    __WARPTREE_LOAD_STREAMING(__ldlu, T, access)                                                                       \
    __WARPTREE_LOAD(__ldcv, T, access, volatile)                                                                       \
    __WARPTREE_STORE(__stwb, T, access, )                                                                              \
    __WARPTREE_STORE_STREAMING(__stcg, T, access)                                                                      \
    __WARPTREE_STORE_STREAMING(__stcs, T, access)                                                                      \
    __WARPTREE_STORE(__stwt, T, access, volatile)
#define __WARPTREE_SCALAR_HINTS(T) __WARPTREE_HINTS(T, T)
#define __WARPTREE_VECTOR_HINTS(T, element, count)                                                                     \
    typedef element __warptree_access_##T __attribute__((ext_vector_type(count)));                                     \
    __WARPTREE_HINTS(T, __warptree_access_##T)
__WARPTREE_SCALAR_HINTS(char)
__WARPTREE_SCALAR_HINTS(signed char)
__WARPTREE_SCALAR_HINTS(unsigned char)
__WARPTREE_SCALAR_HINTS(short)
__WARPTREE_SCALAR_HINTS(unsigned short)
__WARPTREE_SCALAR_HINTS(int)
__WARPTREE_SCALAR_HINTS(unsigned int)
__WARPTREE_SCALAR_HINTS(long)
__WARPTREE_SCALAR_HINTS(unsigned long)
__WARPTREE_SCALAR_HINTS(long long)
__WARPTREE_SCALAR_HINTS(unsigned long long)
__WARPTREE_SCALAR_HINTS(float)
__WARPTREE_SCALAR_HINTS(double)
__WARPTREE_VECTOR_HINTS(char2, signed char, 2)
__WARPTREE_VECTOR_HINTS(char4, signed char, 4)
__WARPTREE_VECTOR_HINTS(uchar2, unsigned char, 2)
__WARPTREE_VECTOR_HINTS(uchar4, unsigned char, 4)
__WARPTREE_VECTOR_HINTS(short2, short, 2)
__WARPTREE_VECTOR_HINTS(short4, short, 4)
__WARPTREE_VECTOR_HINTS(ushort2, unsigned short, 2)
__WARPTREE_VECTOR_HINTS(ushort4, unsigned short, 4)
__WARPTREE_VECTOR_HINTS(int2, int, 2)
__WARPTREE_VECTOR_HINTS(int4, int, 4)
__WARPTREE_VECTOR_HINTS(uint2, unsigned int, 2)
__WARPTREE_VECTOR_HINTS(uint4, unsigned int, 4)
__WARPTREE_VECTOR_HINTS(longlong2, long long, 2)
__WARPTREE_VECTOR_HINTS(ulonglong2, unsigned long long, 2)
__WARPTREE_VECTOR_HINTS(float2, float, 2)
__WARPTREE_VECTOR_HINTS(float4, float, 4)
__WARPTREE_VECTOR_HINTS(double2, double, 2)
#undef __WARPTREE_VECTOR_HINTS
#undef __WARPTREE_SCALAR_HINTS
// The four below serve cuda_fp16.h.
// __WARPTREE_HINTS, __WARPTREE_LOAD, __WARPTREE_STORE and their streaming forms.

#define __WARPTREE_SHARED_SPACE __attribute__((address_space(3)))
#define __WARPTREE_GLOBAL_SPACE __attribute__((address_space(1)))
#define __WARPTREE_CONSTANT_SPACE __attribute__((address_space(4)))
#define __WARPTREE_LOCAL_SPACE __attribute__((address_space(5)))

// 32-bit offsets in shared memory, which inline assembly asks for.
__WARPTREE_DEVICE size_t __cvta_generic_to_shared(const void* address) {
    return static_cast<size_t>(
        reinterpret_cast<unsigned long long>((const __WARPTREE_SHARED_SPACE void*)address));
}
__WARPTREE_DEVICE size_t __cvta_generic_to_global(const void* address) { return reinterpret_cast<size_t>(address); }
__WARPTREE_DEVICE void* __cvta_shared_to_generic(size_t address) {
    return (void*)(reinterpret_cast<__WARPTREE_SHARED_SPACE void*>(address));
}
__WARPTREE_DEVICE void* __cvta_global_to_generic(size_t address) { return reinterpret_cast<void*>(address); }
__WARPTREE_DEVICE unsigned int __isShared(const void* address) { return __nvvm_isspacep_shared(address); }
__WARPTREE_DEVICE unsigned int __isGlobal(const void* address) { return __nvvm_isspacep_global(address); }
__WARPTREE_DEVICE unsigned int __isLocal(const void* address) { return __nvvm_isspacep_local(address); }
__WARPTREE_DEVICE unsigned int __isConstant(const void* address) { return __nvvm_isspacep_const(address); }
