// Thrust's function objects, for both halves.
#pragma once

namespace thrust {

template <class A, class R>
struct unary_function {
    typedef A argument_type;
    typedef R result_type;
};
template <class A, class B, class R>
struct binary_function {
    typedef A first_argument_type;
    typedef B second_argument_type;
    typedef R result_type;
};
#define __WARPTREE_OF_TWO(NAME, R, EXPRESSION)                                                                         \
    template <class T = void>                                                                                          \
    struct NAME {                                                                                                      \
        typedef T first_argument_type;                                                                                 \
        typedef T second_argument_type;                                                                                \
        typedef R result_type;                                                                                         \
        __host__ __device__ R operator()(const T& a, const T& b) const { return EXPRESSION; }                          \
    };                                                                                                                 \
    template <>                                                                                                        \
    struct NAME<void> {                                                                                                \
        template <class A, class B>                                                                                    \
        __host__ __device__ auto operator()(const A& a, const B& b) const {                                            \
            return EXPRESSION;                                                                                         \
        }                                                                                                              \
    };
__WARPTREE_OF_TWO(plus, T, a + b)
__WARPTREE_OF_TWO(minus, T, a - b)
__WARPTREE_OF_TWO(multiplies, T, a* b)
__WARPTREE_OF_TWO(divides, T, a / b)
__WARPTREE_OF_TWO(modulus, T, a % b)
__WARPTREE_OF_TWO(maximum, T, a < b ? b : a)
__WARPTREE_OF_TWO(minimum, T, b < a ? b : a)
__WARPTREE_OF_TWO(bit_and, T, a& b)
__WARPTREE_OF_TWO(bit_or, T, a | b)
__WARPTREE_OF_TWO(bit_xor, T, a ^ b)
__WARPTREE_OF_TWO(equal_to, bool, a == b)
__WARPTREE_OF_TWO(not_equal_to, bool, a != b)
__WARPTREE_OF_TWO(less, bool, a < b)
__WARPTREE_OF_TWO(greater, bool, a > b)
__WARPTREE_OF_TWO(less_equal, bool, a <= b)
__WARPTREE_OF_TWO(greater_equal, bool, a >= b)
__WARPTREE_OF_TWO(logical_and, bool, a&& b)
__WARPTREE_OF_TWO(logical_or, bool, a || b)
#undef __WARPTREE_OF_TWO
template <class T = void>
struct negate {
    typedef T argument_type;
    typedef T result_type;
    __host__ __device__ T operator()(const T& a) const { return -a; }
};
template <class T = void>
struct square {
    __host__ __device__ T operator()(const T& a) const { return a * a; }
};
template <class T = void>
struct identity {
    __host__ __device__ T operator()(const T& a) const { return a; }
};
template <class T = void>
struct logical_not {
    __host__ __device__ bool operator()(const T& a) const { return !a; }
};

} // namespace thrust
