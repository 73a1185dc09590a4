// Thrust's function objects, for both halves.
#pragma once

namespace thrust {

template <class _A, class _R> struct unary_function {
    typedef _A argument_type;
    typedef _R result_type;
};
template <class _A, class _B, class _R> struct binary_function {
    typedef _A first_argument_type;
    typedef _B second_argument_type;
    typedef _R result_type;
};
#define __WARPTREE_OF_TWO(_NAME, _RESULT, _EXPRESSION)                                                                 \
    template <class _T = void> struct _NAME {                                                                          \
        typedef _T first_argument_type;                                                                                \
        typedef _T second_argument_type;                                                                               \
        typedef _RESULT result_type;                                                                                   \
        __host__ __device__ _RESULT operator()(const _T& _a, const _T& _b) const { return _EXPRESSION; }               \
    };                                                                                                                 \
    template <> struct _NAME<void> {                                                                                   \
        template <class _A, class _B> __host__ __device__ auto operator()(const _A& _a, const _B& _b) const {          \
            return _EXPRESSION;                                                                                        \
        }                                                                                                              \
    };
__WARPTREE_OF_TWO(plus, _T, _a + _b)
__WARPTREE_OF_TWO(minus, _T, _a - _b)
__WARPTREE_OF_TWO(multiplies, _T, _a* _b)
__WARPTREE_OF_TWO(divides, _T, _a / _b)
__WARPTREE_OF_TWO(modulus, _T, _a % _b)
__WARPTREE_OF_TWO(maximum, _T, _a < _b ? _b : _a)
__WARPTREE_OF_TWO(minimum, _T, _b < _a ? _b : _a)
__WARPTREE_OF_TWO(bit_and, _T, _a& _b)
__WARPTREE_OF_TWO(bit_or, _T, _a | _b)
__WARPTREE_OF_TWO(bit_xor, _T, _a ^ _b)
__WARPTREE_OF_TWO(equal_to, bool, _a == _b)
__WARPTREE_OF_TWO(not_equal_to, bool, _a != _b)
__WARPTREE_OF_TWO(less, bool, _a < _b)
__WARPTREE_OF_TWO(greater, bool, _a > _b)
__WARPTREE_OF_TWO(less_equal, bool, _a <= _b)
__WARPTREE_OF_TWO(greater_equal, bool, _a >= _b)
__WARPTREE_OF_TWO(logical_and, bool, _a&& _b)
__WARPTREE_OF_TWO(logical_or, bool, _a || _b)
#undef __WARPTREE_OF_TWO
template <class _T = void> struct negate {
    typedef _T argument_type;
    typedef _T result_type;
    __host__ __device__ _T operator()(const _T& _a) const { return -_a; }
};
template <class _T = void> struct square {
    __host__ __device__ _T operator()(const _T& _a) const { return _a * _a; }
};
template <class _T = void> struct identity {
    __host__ __device__ _T operator()(const _T& _a) const { return _a; }
};
template <class _T = void> struct logical_not {
    __host__ __device__ bool operator()(const _T& _a) const { return !_a; }
};

} // namespace thrust
