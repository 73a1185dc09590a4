// Integer intrinsics, and numbers reinterpreted as bits.
#pragma once

#include "warptree/types.h"

__WARPTREE_BOTH int __popc(unsigned int x) { return __builtin_popcount(x); }
__WARPTREE_BOTH int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__WARPTREE_BOTH int __clz(int x) { return __builtin_clzg(static_cast<unsigned int>(x), 32); }
__WARPTREE_BOTH int __clzll(long long x) { return __builtin_clzg(static_cast<unsigned long long>(x), 64); }
__WARPTREE_BOTH int __ffs(int x) { return __builtin_ffs(x); }
__WARPTREE_BOTH int __ffsll(long long x) { return __builtin_ffsll(x); }
__WARPTREE_BOTH unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
__WARPTREE_BOTH unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }

// Bytes of the pair (y, x), each selected by four bits of the selector.
__WARPTREE_DEVICE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
    return __nvvm_prmt(x, y, selector);
}
__WARPTREE_BOTH unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
    return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31) >> 32);
}
__WARPTREE_BOTH unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
    return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}
__WARPTREE_BOTH unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) {
    return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low)
                                         << __builtin_elementwise_min(shift, 32U) >> 32);
}
__WARPTREE_BOTH unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) {
    return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) >>
                                     __builtin_elementwise_min(shift, 32U));
}

__WARPTREE_DEVICE int __mulhi(int x, int y) { return __nvvm_mulhi_i(x, y); }
__WARPTREE_DEVICE unsigned int __umulhi(unsigned int x, unsigned int y) { return __nvvm_mulhi_ui(x, y); }
__WARPTREE_DEVICE long long __mul64hi(long long x, long long y) { return __nvvm_mulhi_ll(x, y); }
__WARPTREE_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return __nvvm_mulhi_ull(x, y);
}
__WARPTREE_BOTH int __mul24(int x, int y) {
    return static_cast<int>(static_cast<unsigned int>(x << 8 >> 8) * static_cast<unsigned int>(y << 8 >> 8));
}
__WARPTREE_BOTH unsigned int __umul24(unsigned int x, unsigned int y) { return (x & 0xFFFFFF) * (y & 0xFFFFFF); }
// |x - y| + z
__WARPTREE_BOTH unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
    return __builtin_elementwise_max(x, y) - __builtin_elementwise_min(x, y) + z;
}
__WARPTREE_BOTH unsigned int __sad(int x, int y, unsigned int z) {
    return static_cast<unsigned int>(__builtin_elementwise_max(x, y)) -
           static_cast<unsigned int>(__builtin_elementwise_min(x, y)) + z;
}
// Averages: rounded down, and up.
__WARPTREE_BOTH int __hadd(int x, int y) { return (x & y) + ((x ^ y) >> 1); }
__WARPTREE_BOTH int __rhadd(int x, int y) { return (x | y) - ((x ^ y) >> 1); }
__WARPTREE_BOTH unsigned int __uhadd(unsigned int x, unsigned int y) { return (x & y) + ((x ^ y) >> 1); }
__WARPTREE_BOTH unsigned int __urhadd(unsigned int x, unsigned int y) { return (x | y) - ((x ^ y) >> 1); }

// Sum of c and the products of four bytes.
__WARPTREE_BOTH int __dp4a(int a, int b, int c) {
    return c + (a << 24 >> 24) * (b << 24 >> 24) + (a << 16 >> 24) * (b << 16 >> 24) + (a << 8 >> 24) * (b << 8 >> 24) +
           (a >> 24) * (b >> 24);
}
__WARPTREE_BOTH unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
    return c + (a & 0xFF) * (b & 0xFF) + (a >> 8 & 0xFF) * (b >> 8 & 0xFF) + (a >> 16 & 0xFF) * (b >> 16 & 0xFF) +
           (a >> 24) * (b >> 24);
}

__WARPTREE_BOTH int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__WARPTREE_BOTH unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
__WARPTREE_BOTH float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__WARPTREE_BOTH float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
__WARPTREE_BOTH long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
__WARPTREE_BOTH double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__WARPTREE_BOTH int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
__WARPTREE_BOTH int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
__WARPTREE_BOTH double __hiloint2double(int high, int low) {
    return __longlong_as_double(static_cast<long long>(high) << 32 | static_cast<unsigned int>(low));
}
