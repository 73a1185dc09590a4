// Complex numbers of CUDA's C interface.
#pragma once

#include "warptree/math.h"

typedef float2 cuFloatComplex, cuComplex;
typedef double2 cuDoubleComplex;
#define __WARPTREE_COMPLEX(C, S, E)                                                                                    \
    __WARPTREE_BOTH constexpr C make_cu##E(S x, S y) { return {x, y}; }
__WARPTREE_COMPLEX(cuFloatComplex, float, FloatComplex)
__WARPTREE_COMPLEX(cuDoubleComplex, double, DoubleComplex)
#undef __WARPTREE_COMPLEX
__WARPTREE_BOTH constexpr cuComplex make_cuComplex(float x, float y) { return {x, y}; }

// f: the suffix of single precision; root: its square root.
#define __WARPTREE_COMPLEX(C, S, f, root)                                                                              \
    __WARPTREE_BOTH constexpr S cuCreal##f(C a) { return a.x; }                                                        \
    __WARPTREE_BOTH constexpr S cuCimag##f(C a) { return a.y; }                                                        \
    __WARPTREE_BOTH constexpr C cuConj##f(C a) { return {a.x, -a.y}; }                                                 \
    __WARPTREE_BOTH constexpr C cuCadd##f(C a, C b) { return {a.x + b.x, a.y + b.y}; }                                 \
    __WARPTREE_BOTH constexpr C cuCsub##f(C a, C b) { return {a.x - b.x, a.y - b.y}; }                                 \
    __WARPTREE_BOTH constexpr C cuCmul##f(C a, C b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }         \
    __WARPTREE_BOTH C cuCdiv##f(C a, C b) {                                                                            \
        const S d = b.x * b.x + b.y * b.y;                                                                             \
        return {(a.x * b.x + a.y * b.y) / d, (a.y * b.x - a.x * b.y) / d};                                             \
    }                                                                                                                  \
    __WARPTREE_BOTH S cuCabs##f(C a) { return root(a.x * a.x + a.y * a.y); }                                           \
    __WARPTREE_BOTH constexpr C cuCfma##f(C a, C b, C c) {                                                             \
        return {a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y};                                             \
    }
__WARPTREE_COMPLEX(cuFloatComplex, float, f, sqrtf)
__WARPTREE_COMPLEX(cuDoubleComplex, double, , sqrt)
#undef __WARPTREE_COMPLEX
__WARPTREE_BOTH cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return {a.x, a.y}; }
__WARPTREE_BOTH cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
    return {static_cast<float>(a.x), static_cast<float>(a.y)};
}
