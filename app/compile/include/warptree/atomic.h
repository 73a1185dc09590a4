// Atomic functions. Without a suffix they are atomic for the device, _block for the block, _system for host and devices;
// none orders other accesses.
#pragma once

#include "warptree/types.h"

// name, type, operation of Clang.
#define __WARPTREE_ATOMIC(name, T, operation)                                                                          \
    __WARPTREE_DEVICE T name(T* address, T value) { return operation(address, value, __ATOMIC_RELAXED); }
#define __WARPTREE_ATOMICS(T)                                                                                          \
    __WARPTREE_ATOMIC(atomicAdd, T, __atomic_fetch_add)                                                                \
    __WARPTREE_ATOMIC(atomicExch, T, __atomic_exchange_n)                                                              \
    __WARPTREE_ATOMIC(atomicMin, T, __atomic_fetch_min)                                                                \
    __WARPTREE_ATOMIC(atomicMax, T, __atomic_fetch_max)                                                                \
    __WARPTREE_ATOMIC(atomicAnd, T, __atomic_fetch_and)                                                                \
    __WARPTREE_ATOMIC(atomicOr, T, __atomic_fetch_or)                                                                  \
    __WARPTREE_ATOMIC(atomicXor, T, __atomic_fetch_xor)
#define __WARPTREE_COMPARE_AND_SWAP(T)                                                                                 \
    __WARPTREE_DEVICE T atomicCAS(T* address, T compare, T value) {                                                    \
        return __sync_val_compare_and_swap(address, compare, value); /* made relaxed in the module */                  \
    }
__WARPTREE_ATOMICS(int)
__WARPTREE_ATOMICS(unsigned int)
__WARPTREE_ATOMICS(unsigned long long)
__WARPTREE_ATOMIC(atomicMin, long long, __atomic_fetch_min)
__WARPTREE_ATOMIC(atomicMax, long long, __atomic_fetch_max)
__WARPTREE_ATOMIC(atomicAnd, long long, __atomic_fetch_and)
__WARPTREE_ATOMIC(atomicOr, long long, __atomic_fetch_or)
__WARPTREE_ATOMIC(atomicXor, long long, __atomic_fetch_xor)
__WARPTREE_ATOMIC(atomicAdd, float, __atomic_fetch_add)
__WARPTREE_ATOMIC(atomicAdd, double, __atomic_fetch_add)
__WARPTREE_ATOMIC(atomicSub, int, __atomic_fetch_sub)
__WARPTREE_ATOMIC(atomicSub, unsigned int, __atomic_fetch_sub)
__WARPTREE_COMPARE_AND_SWAP(int)
__WARPTREE_COMPARE_AND_SWAP(unsigned int)
__WARPTREE_COMPARE_AND_SWAP(unsigned long long)
__WARPTREE_COMPARE_AND_SWAP(unsigned short)
__WARPTREE_DEVICE float atomicExch(float* address, float value) {
    return __builtin_bit_cast(float, atomicExch(reinterpret_cast<int*>(address), __builtin_bit_cast(int, value)));
}
__WARPTREE_DEVICE unsigned int atomicInc(unsigned int* address, unsigned int limit) {
    return __nvvm_atom_inc_gen_ui(address, limit);
}
__WARPTREE_DEVICE unsigned int atomicDec(unsigned int* address, unsigned int limit) {
    return __nvvm_atom_dec_gen_ui(address, limit);
}
#undef __WARPTREE_ATOMIC
#undef __WARPTREE_ATOMICS
#undef __WARPTREE_COMPARE_AND_SWAP

// suffix of CUDA's name, scope of PTX.
#define __WARPTREE_SCOPED(name, suffix, scope, T, operation, U, type)                                                  \
    __WARPTREE_DEVICE T name##suffix(T* address, T value) {                                                            \
        return static_cast<T>(__nvvm_atom_##scope##_##operation##_gen_##type(reinterpret_cast<U*>(address),            \
                                                                            static_cast<U>(value)));                  \
    }
#define __WARPTREE_SCOPED_INTEGER(suffix, scope, T, U, type, order)                                                    \
    __WARPTREE_SCOPED(atomicExch, suffix, scope, T, xchg, U, type)                                                     \
    __WARPTREE_SCOPED(atomicAdd, suffix, scope, T, add, U, type)                                                       \
    __WARPTREE_SCOPED(atomicAnd, suffix, scope, T, and, U, type)                                                       \
    __WARPTREE_SCOPED(atomicOr, suffix, scope, T, or, U, type)                                                         \
    __WARPTREE_SCOPED(atomicXor, suffix, scope, T, xor, U, type)                                                       \
    __WARPTREE_SCOPED(atomicMin, suffix, scope, T, min, T, order)                                                      \
    __WARPTREE_SCOPED(atomicMax, suffix, scope, T, max, T, order)                                                      \
    __WARPTREE_DEVICE T atomicCAS##suffix(T* address, T compare, T value) {                                            \
        return static_cast<T>(__nvvm_atom_##scope##_cas_gen_##type(reinterpret_cast<U*>(address),                      \
                                                                   static_cast<U>(compare), static_cast<U>(value)));  \
    }
#define __WARPTREE_SCOPE(suffix, scope)                                                                                \
    __WARPTREE_SCOPED_INTEGER(suffix, scope, int, int, i, i)                                                           \
    __WARPTREE_SCOPED_INTEGER(suffix, scope, unsigned int, int, i, ui)                                                 \
    __WARPTREE_SCOPED_INTEGER(suffix, scope, unsigned long long, long long, ll, ull)                                   \
    __WARPTREE_SCOPED(atomicMin, suffix, scope, long long, min, long long, ll)                                         \
    __WARPTREE_SCOPED(atomicMax, suffix, scope, long long, max, long long, ll)                                         \
    __WARPTREE_SCOPED(atomicAnd, suffix, scope, long long, and, long long, ll)                                         \
    __WARPTREE_SCOPED(atomicOr, suffix, scope, long long, or, long long, ll)                                           \
    __WARPTREE_SCOPED(atomicXor, suffix, scope, long long, xor, long long, ll)                                         \
    __WARPTREE_SCOPED(atomicAdd, suffix, scope, float, add, float, f)                                                  \
    __WARPTREE_SCOPED(atomicAdd, suffix, scope, double, add, double, d)                                                \
    __WARPTREE_DEVICE int atomicSub##suffix(int* address, int value) {                                                 \
        return atomicAdd##suffix(address, static_cast<int>(-static_cast<unsigned int>(value)));                        \
    }                                                                                                                  \
    __WARPTREE_DEVICE unsigned int atomicSub##suffix(unsigned int* address, unsigned int value) {                      \
        return atomicAdd##suffix(address, -value);                                                                     \
    }                                                                                                                  \
    __WARPTREE_DEVICE float atomicExch##suffix(float* address, float value) {                                          \
        return __builtin_bit_cast(float, atomicExch##suffix(reinterpret_cast<int*>(address),                           \
                                                            __builtin_bit_cast(int, value)));                         \
    }                                                                                                                  \
    __WARPTREE_DEVICE unsigned int atomicInc##suffix(unsigned int* address, unsigned int limit) {                      \
        return __nvvm_atom_##scope##_inc_gen_ui(address, limit);                                                       \
    }                                                                                                                  \
    __WARPTREE_DEVICE unsigned int atomicDec##suffix(unsigned int* address, unsigned int limit) {                      \
        return __nvvm_atom_##scope##_dec_gen_ui(address, limit);                                                       \
    }
__WARPTREE_SCOPE(_block, cta)
__WARPTREE_SCOPE(_system, sys)
#undef __WARPTREE_SCOPE
#undef __WARPTREE_SCOPED
#undef __WARPTREE_SCOPED_INTEGER
