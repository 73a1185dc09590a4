// Complex numbers of CUDA's C interface.
#pragma once

#include "warptree/math.h"

typedef float2 cuFloatComplex, cuComplex;
typedef double2 cuDoubleComplex;
#define __WARPTREE_COMPLEX(_C, _S, _E)                                                                                 \
    __WARPTREE_BOTH constexpr _C make_cu##_E(_S __x, _S __y) { return {__x, __y}; }
__WARPTREE_COMPLEX(cuFloatComplex, float, FloatComplex)
__WARPTREE_COMPLEX(cuDoubleComplex, double, DoubleComplex)
#undef __WARPTREE_COMPLEX
__WARPTREE_BOTH constexpr cuComplex make_cuComplex(float __x, float __y) { return {__x, __y}; }

// _f: the suffix of single precision; _root: the square root.
#define __WARPTREE_COMPLEX(_C, _S, _f, _root)                                                                          \
    __WARPTREE_BOTH constexpr _S cuCreal##_f(_C __a) { return __warptree_re(__a); }                                    \
    __WARPTREE_BOTH constexpr _S cuCimag##_f(_C __a) { return __warptree_im(__a); }                                    \
    __WARPTREE_BOTH constexpr _C cuConj##_f(_C __a) { return {__warptree_re(__a), -__warptree_im(__a)}; }              \
    __WARPTREE_BOTH constexpr _C cuCadd##_f(_C __a, _C __b) {                                                          \
        return {__warptree_re(__a) + __warptree_re(__b), __warptree_im(__a) + __warptree_im(__b)};                     \
    }                                                                                                                  \
    __WARPTREE_BOTH constexpr _C cuCsub##_f(_C __a, _C __b) {                                                          \
        return {__warptree_re(__a) - __warptree_re(__b), __warptree_im(__a) - __warptree_im(__b)};                     \
    }                                                                                                                  \
    __WARPTREE_BOTH constexpr _C cuCmul##_f(_C __a, _C __b) {                                                          \
        return {__warptree_re(__a) * __warptree_re(__b) - __warptree_im(__a) * __warptree_im(__b),                     \
                __warptree_re(__a) * __warptree_im(__b) + __warptree_im(__a) * __warptree_re(__b)};                    \
    }                                                                                                                  \
    __WARPTREE_BOTH _C cuCdiv##_f(_C __a, _C __b) {                                                                    \
        const _S __d = __warptree_re(__b) * __warptree_re(__b) + __warptree_im(__b) * __warptree_im(__b);              \
        return {(__warptree_re(__a) * __warptree_re(__b) + __warptree_im(__a) * __warptree_im(__b)) / __d,             \
                (__warptree_im(__a) * __warptree_re(__b) - __warptree_re(__a) * __warptree_im(__b)) / __d};            \
    }                                                                                                                  \
    __WARPTREE_BOTH _S cuCabs##_f(_C __a) {                                                                            \
        return _root(__warptree_re(__a) * __warptree_re(__a) + __warptree_im(__a) * __warptree_im(__a));               \
    }                                                                                                                  \
    __WARPTREE_BOTH constexpr _C cuCfma##_f(_C __a, _C __b, _C __c) {                                                  \
        return {                                                                                                       \
            __warptree_re(__a) * __warptree_re(__b) - __warptree_im(__a) * __warptree_im(__b) + __warptree_re(__c),    \
            __warptree_re(__a) * __warptree_im(__b) + __warptree_im(__a) * __warptree_re(__b) + __warptree_im(__c)};   \
    }
__WARPTREE_COMPLEX(cuFloatComplex, float, f, sqrtf)
__WARPTREE_COMPLEX(cuDoubleComplex, double, , sqrt)
#undef __WARPTREE_COMPLEX
__WARPTREE_BOTH cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex __a) {
    return {__warptree_re(__a), __warptree_im(__a)};
}
__WARPTREE_BOTH cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex __a) {
    return {static_cast<float>(__warptree_re(__a)), static_cast<float>(__warptree_im(__a))};
}
