// Scalar names of the C library, and CUDA's vector types with the alignments that its documentation states.
#pragma once

#include "warptree/define.h"

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef long ssize_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef signed char int_least8_t, int_fast8_t;
typedef short int_least16_t;
typedef int int_least32_t;
typedef long int_least64_t, int_fast16_t, int_fast32_t, int_fast64_t;
typedef unsigned char uint_least8_t, uint_fast8_t;
typedef unsigned short uint_least16_t;
typedef unsigned int uint_least32_t;
typedef unsigned long uint_least64_t, uint_fast16_t, uint_fast32_t, uint_fast64_t;
typedef long intptr_t, intmax_t;
typedef unsigned long uintptr_t, uintmax_t;
typedef float float_t;
typedef double double_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#define NULL __null

// A scalar type, the name that its vectors begin with, and the alignments of those of two and four.
#define __WARPTREE_VECTORS(T, N, A2, A4)                                                                               \
    struct N##1 {                                                                                                      \
        T x;                                                                                                           \
    };                                                                                                                 \
    struct __attribute__((aligned(A2))) N##2 {                                                                         \
        T x, y;                                                                                                        \
    };                                                                                                                 \
    struct N##3 {                                                                                                      \
        T x, y, z;                                                                                                     \
    };                                                                                                                 \
    struct __attribute__((aligned(A4))) N##4 {                                                                         \
        T x, y, z, w;                                                                                                  \
    };                                                                                                                 \
    __WARPTREE_BOTH constexpr N##1 make_##N##1(T x) { return {x}; }                                                    \
    __WARPTREE_BOTH constexpr N##2 make_##N##2(T x, T y) { return {x, y}; }                                            \
    __WARPTREE_BOTH constexpr N##3 make_##N##3(T x, T y, T z) { return {x, y, z}; }                                    \
    __WARPTREE_BOTH constexpr N##4 make_##N##4(T x, T y, T z, T w) { return {x, y, z, w}; }
__WARPTREE_VECTORS(signed char, char, 2, 4)
__WARPTREE_VECTORS(unsigned char, uchar, 2, 4)
__WARPTREE_VECTORS(short, short, 4, 8)
__WARPTREE_VECTORS(unsigned short, ushort, 4, 8)
__WARPTREE_VECTORS(int, int, 8, 16)
__WARPTREE_VECTORS(unsigned int, uint, 8, 16)
__WARPTREE_VECTORS(long, long, 16, 16)
__WARPTREE_VECTORS(unsigned long, ulong, 16, 16)
__WARPTREE_VECTORS(long long, longlong, 16, 16)
__WARPTREE_VECTORS(unsigned long long, ulonglong, 16, 16)
__WARPTREE_VECTORS(float, float, 8, 16)
__WARPTREE_VECTORS(double, double, 16, 16)
#undef __WARPTREE_VECTORS

// For headers that are read after a file's own macros, which may be named x.
template <class T> __WARPTREE_BOTH constexpr auto __warptree_re(T v) { return v.x; }
template <class T> __WARPTREE_BOTH constexpr auto __warptree_im(T v) { return v.y; }

struct dim3 {
    unsigned int x, y, z;
    __WARPTREE_MEMBER_BOTH constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
        : x(x), y(y), z(z) {}
    __WARPTREE_MEMBER_BOTH constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __WARPTREE_MEMBER_BOTH constexpr operator uint3() const { return {x, y, z}; }
};

// For operands of which only the type matters.
template <bool Condition, class T = void> struct __warptree_enable {};
template <class T> struct __warptree_enable<true, T> { typedef T type; };
template <class A, class B> inline constexpr bool __warptree_same = __is_same(A, B);
