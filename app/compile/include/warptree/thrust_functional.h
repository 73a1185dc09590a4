// Thrust's function objects, for both halves.
#pragma once

namespace thrust {

template <class __A, class __R> struct unary_function {
    typedef __A argument_type;
    typedef __R result_type;
};
template <class __A, class __B, class __R> struct binary_function {
    typedef __A first_argument_type;
    typedef __B second_argument_type;
    typedef __R result_type;
};
#define __WARPTREE_OF_TWO(__NAME, __R, __EXPRESSION)                                                                   \
    template <class __T = void> struct __NAME {                                                                        \
        typedef __T first_argument_type;                                                                               \
        typedef __T second_argument_type;                                                                              \
        typedef __R result_type;                                                                                       \
        __host__ __device__ __R operator()(const __T& __a, const __T& __b) const { return __EXPRESSION; }              \
    };                                                                                                                 \
    template <> struct __NAME<void> {                                                                                  \
        template <class __A, class __B> __host__ __device__ auto operator()(const __A& __a, const __B& __b) const {    \
            return __EXPRESSION;                                                                                       \
        }                                                                                                              \
    };
__WARPTREE_OF_TWO(plus, __T, __a + __b)
__WARPTREE_OF_TWO(minus, __T, __a - __b)
__WARPTREE_OF_TWO(multiplies, __T, __a* __b)
__WARPTREE_OF_TWO(divides, __T, __a / __b)
__WARPTREE_OF_TWO(modulus, __T, __a % __b)
__WARPTREE_OF_TWO(maximum, __T, __a < __b ? __b : __a)
__WARPTREE_OF_TWO(minimum, __T, __b < __a ? __b : __a)
__WARPTREE_OF_TWO(bit_and, __T, __a& __b)
__WARPTREE_OF_TWO(bit_or, __T, __a | __b)
__WARPTREE_OF_TWO(bit_xor, __T, __a ^ __b)
__WARPTREE_OF_TWO(equal_to, bool, __a == __b)
__WARPTREE_OF_TWO(not_equal_to, bool, __a != __b)
__WARPTREE_OF_TWO(less, bool, __a < __b)
__WARPTREE_OF_TWO(greater, bool, __a > __b)
__WARPTREE_OF_TWO(less_equal, bool, __a <= __b)
__WARPTREE_OF_TWO(greater_equal, bool, __a >= __b)
__WARPTREE_OF_TWO(logical_and, bool, __a&& __b)
__WARPTREE_OF_TWO(logical_or, bool, __a || __b)
#undef __WARPTREE_OF_TWO
template <class __T = void> struct negate {
    typedef __T argument_type;
    typedef __T result_type;
    __host__ __device__ __T operator()(const __T& __a) const { return -__a; }
};
template <class __T = void> struct square {
    __host__ __device__ __T operator()(const __T& __a) const { return __a * __a; }
};
template <class __T = void> struct identity {
    __host__ __device__ __T operator()(const __T& __a) const { return __a; }
};
template <class __T = void> struct logical_not {
    __host__ __device__ bool operator()(const __T& __a) const { return !__a; }
};

} // namespace thrust
