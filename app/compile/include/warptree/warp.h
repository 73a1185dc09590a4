// Exchanges between the lanes of a warp. A shuffle of 64 bits is one operation, as the machine shows it; its body, for
// PTX, is two.
#pragma once

#include "warptree/types.h"

extern "C" __device__ __attribute__((noinline, nodebug)) inline unsigned int
__warptree_shuffle_32(int mode, unsigned int mask, unsigned int value, unsigned int lane, int width) {
    const int clamp = (32 - width) << 8;
    switch (mode) {
    case 0: return static_cast<unsigned int>(__nvvm_shfl_sync_down_i32(mask, value, lane, clamp | 31));
    case 1: return static_cast<unsigned int>(__nvvm_shfl_sync_up_i32(mask, value, lane, clamp));
    case 2: return static_cast<unsigned int>(__nvvm_shfl_sync_bfly_i32(mask, value, lane, clamp | 31));
    default: return static_cast<unsigned int>(__nvvm_shfl_sync_idx_i32(mask, value, lane, clamp | 31));
    }
}
extern "C" __device__ __attribute__((noinline, nodebug)) inline unsigned long long
__warptree_shuffle_64(int mode, unsigned int mask, unsigned long long value, unsigned int lane, int width) {
    const unsigned int low = __warptree_shuffle_32(mode, mask, static_cast<unsigned int>(value), lane, width);
    const unsigned int high = __warptree_shuffle_32(mode, mask, static_cast<unsigned int>(value >> 32), lane, width);
    return static_cast<unsigned long long>(high) << 32 | low;
}

// name, mode, type of the lane operand. One overload for each type that CUDA documents.
#define __WARPTREE_SHUFFLE(name, mode, L)                                                                              \
    __WARPTREE_DEVICE unsigned int name(unsigned int mask, unsigned int var, L lane, int width = 32) {                 \
        return __warptree_shuffle_32(mode, mask, var, static_cast<unsigned int>(lane), width);                         \
    }                                                                                                                  \
    __WARPTREE_DEVICE int name(unsigned int mask, int var, L lane, int width = 32) {                                   \
        return static_cast<int>(name(mask, static_cast<unsigned int>(var), lane, width));                              \
    }                                                                                                                  \
    __WARPTREE_DEVICE float name(unsigned int mask, float var, L lane, int width = 32) {                               \
        return __builtin_bit_cast(float, name(mask, __builtin_bit_cast(unsigned int, var), lane, width));              \
    }                                                                                                                  \
    __WARPTREE_DEVICE unsigned long long name(unsigned int mask, unsigned long long var, L lane, int width = 32) {     \
        return __warptree_shuffle_64(mode, mask, var, static_cast<unsigned int>(lane), width);                         \
    }                                                                                                                  \
    __WARPTREE_DEVICE long long name(unsigned int mask, long long var, L lane, int width = 32) {                       \
        return static_cast<long long>(name(mask, static_cast<unsigned long long>(var), lane, width));                  \
    }                                                                                                                  \
    __WARPTREE_DEVICE unsigned long name(unsigned int mask, unsigned long var, L lane, int width = 32) {               \
        return static_cast<unsigned long>(name(mask, static_cast<unsigned long long>(var), lane, width));              \
    }                                                                                                                  \
    __WARPTREE_DEVICE long name(unsigned int mask, long var, L lane, int width = 32) {                                 \
        return static_cast<long>(name(mask, static_cast<unsigned long long>(var), lane, width));                       \
    }                                                                                                                  \
    __WARPTREE_DEVICE double name(unsigned int mask, double var, L lane, int width = 32) {                             \
        return __builtin_bit_cast(double, name(mask, __builtin_bit_cast(unsigned long long, var), lane, width));       \
    }
__WARPTREE_SHUFFLE(__shfl_down_sync, 0, unsigned int)
__WARPTREE_SHUFFLE(__shfl_up_sync, 1, unsigned int)
__WARPTREE_SHUFFLE(__shfl_xor_sync, 2, int)
__WARPTREE_SHUFFLE(__shfl_sync, 3, int)
#undef __WARPTREE_SHUFFLE

__WARPTREE_DEVICE int __all_sync(unsigned int mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }
__WARPTREE_DEVICE int __any_sync(unsigned int mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
__WARPTREE_DEVICE int __uni_sync(unsigned int mask, int predicate) { return __nvvm_vote_uni_sync(mask, predicate); }
__WARPTREE_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) {
    return __nvvm_vote_ballot_sync(mask, predicate);
}
__WARPTREE_DEVICE unsigned int __activemask() { return static_cast<unsigned int>(__nvvm_activemask()); }

// The forms without a mask, which CUDA removed for devices of compute capability 7.0 and above: all lanes that are active
// take part. The machine knows the mask by its name, and tells.
extern "C" __device__ __attribute__((noinline, nodebug, convergent)) inline unsigned int __warptree_lanes_here() {
    return __activemask();
}
#define __WARPTREE_WITHOUT_MASK(name, L)                                                                               \
    template <class T>                                                                                                 \
    __WARPTREE_DEVICE T name(T var, L lane, int width = 32) {                                                          \
        return name##_sync(__warptree_lanes_here(), var, lane, width);                                                 \
    }
__WARPTREE_WITHOUT_MASK(__shfl, int)
__WARPTREE_WITHOUT_MASK(__shfl_up, unsigned int)
__WARPTREE_WITHOUT_MASK(__shfl_down, unsigned int)
__WARPTREE_WITHOUT_MASK(__shfl_xor, int)
#undef __WARPTREE_WITHOUT_MASK
__WARPTREE_DEVICE int __all(int predicate) { return __all_sync(__warptree_lanes_here(), predicate); }
__WARPTREE_DEVICE int __any(int predicate) { return __any_sync(__warptree_lanes_here(), predicate); }
__WARPTREE_DEVICE unsigned int __ballot(int predicate) { return __ballot_sync(__warptree_lanes_here(), predicate); }

// Lanes with the same value as this one; all: every lane of the mask if all agree, else 0.
#define __WARPTREE_MATCH(T, bits, U)                                                                                   \
    __WARPTREE_DEVICE unsigned int __match_any_sync(unsigned int mask, T value) {                                      \
        return __nvvm_match_any_sync_i##bits(mask, __builtin_bit_cast(U, value));                                      \
    }                                                                                                                  \
    __WARPTREE_DEVICE unsigned int __match_all_sync(unsigned int mask, T value, int* predicate) {                      \
        return __nvvm_match_all_sync_i##bits##p(mask, __builtin_bit_cast(U, value), predicate);                        \
    }
__WARPTREE_MATCH(unsigned int, 32, unsigned int)
__WARPTREE_MATCH(int, 32, unsigned int)
__WARPTREE_MATCH(float, 32, unsigned int)
__WARPTREE_MATCH(unsigned long, 64, unsigned long long)
__WARPTREE_MATCH(long, 64, unsigned long long)
__WARPTREE_MATCH(unsigned long long, 64, unsigned long long)
__WARPTREE_MATCH(long long, 64, unsigned long long)
__WARPTREE_MATCH(double, 64, unsigned long long)
#undef __WARPTREE_MATCH

__WARPTREE_DEVICE unsigned int __reduce_add_sync(unsigned int mask, unsigned int value) {
    return static_cast<unsigned int>(__nvvm_redux_sync_add(static_cast<int>(value), static_cast<int>(mask)));
}
__WARPTREE_DEVICE int __reduce_add_sync(unsigned int mask, int value) {
    return __nvvm_redux_sync_add(value, static_cast<int>(mask));
}
__WARPTREE_DEVICE unsigned int __reduce_min_sync(unsigned int mask, unsigned int value) {
    return __nvvm_redux_sync_umin(value, static_cast<int>(mask));
}
__WARPTREE_DEVICE int __reduce_min_sync(unsigned int mask, int value) {
    return __nvvm_redux_sync_min(value, static_cast<int>(mask));
}
__WARPTREE_DEVICE unsigned int __reduce_max_sync(unsigned int mask, unsigned int value) {
    return __nvvm_redux_sync_umax(value, static_cast<int>(mask));
}
__WARPTREE_DEVICE int __reduce_max_sync(unsigned int mask, int value) {
    return __nvvm_redux_sync_max(value, static_cast<int>(mask));
}
#define __WARPTREE_REDUCE(name)                                                                                        \
    __WARPTREE_DEVICE unsigned int __reduce_##name##_sync(unsigned int mask, unsigned int value) {                     \
        return static_cast<unsigned int>(__nvvm_redux_sync_##name(static_cast<int>(value), static_cast<int>(mask)));   \
    }
__WARPTREE_REDUCE(and)
__WARPTREE_REDUCE(or)
__WARPTREE_REDUCE(xor)
#undef __WARPTREE_REDUCE

// The place of the nth set bit of the mask, counted from `base` upwards, or downwards when n is negative; 0xFFFFFFFF: none.
__WARPTREE_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
    const int step = offset < 0 ? -1 : 1;
    int left = offset * step;
    if (left == 0) return base < 32 && (mask >> base & 1) != 0 ? base : 0xFFFFFFFF;
    for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step)
        if ((mask >> at & 1) != 0 && --left == 0) return static_cast<unsigned int>(at);
    return 0xFFFFFFFF;
}
