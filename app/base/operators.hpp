// The operators: associative, commutative, with an identity. Integers wrap around.
#pragma once

#include "app/base/element_type.hpp"
#include "app/base/host_device.hpp"

#include <limits>
#include <type_traits>

namespace warptree {

namespace detail {
// Unsigned of the same width: signed overflow would be undefined.
template <class T, bool Integral = std::is_integral_v<T>> struct Wrap { using type = T; };
template <class T> struct Wrap<T, true> { using type = std::make_unsigned_t<T>; };
template <class T> using WrapT = typename Wrap<T>::type;

template <class T> struct Limits {
    static constexpr T least =
        std::is_integral_v<T> ? std::numeric_limits<T>::lowest() : -std::numeric_limits<T>::infinity();
    static constexpr T greatest =
        std::is_integral_v<T> ? std::numeric_limits<T>::max() : std::numeric_limits<T>::infinity();
};
} // namespace detail

// map(x) is applied to an element as it is loaded: x itself, unless the operator overrides it.
struct Unmapped {
    template <class T> WARPTREE_HD static T map(T x) { return x; }
};

struct Sum : Unmapped {
    static constexpr Operator name = Operator::sum;
    template <class T> static constexpr T identity = T(0);
    template <class T> WARPTREE_HD static T apply(T a, T b) {
        return static_cast<T>(static_cast<detail::WrapT<T>>(a) + static_cast<detail::WrapT<T>>(b));
    }
};
struct Product : Unmapped {
    static constexpr Operator name = Operator::product;
    template <class T> static constexpr T identity = T(1);
    template <class T> WARPTREE_HD static T apply(T a, T b) {
        return static_cast<T>(static_cast<detail::WrapT<T>>(a) * static_cast<detail::WrapT<T>>(b));
    }
};
struct Min : Unmapped {
    static constexpr Operator name = Operator::min;
    template <class T> static constexpr T identity = detail::Limits<T>::greatest;
    template <class T> WARPTREE_HD static T apply(T a, T b) { return b < a ? b : a; }
};
struct Max : Unmapped {
    static constexpr Operator name = Operator::max;
    template <class T> static constexpr T identity = detail::Limits<T>::least;
    template <class T> WARPTREE_HD static T apply(T a, T b) { return a < b ? b : a; }
};
struct Xor : Unmapped {
    static constexpr Operator name = Operator::xor_;
    template <class T> static constexpr T identity = T(0);
    template <class T> WARPTREE_HD static T apply(T a, T b) {
        if constexpr (std::is_integral_v<T>) {
            return a ^ b;
        } else {
            return a; // refused before a run: supports(type, op) is false
        }
    }
};

struct SumOfSquares : Sum {
    static constexpr Operator name = Operator::sum_of_squares;
    template <class T> WARPTREE_HD static T map(T x) {
        return static_cast<T>(static_cast<detail::WrapT<T>>(x) * static_cast<detail::WrapT<T>>(x));
    }
};

// Calls f(Sum{}) … f(SumOfSquares{}) by name.
template <class F> WARPTREE_HD decltype(auto) visit_operator(Operator op, F&& f) {
    switch (op) {
    case Operator::sum: return f(Sum{});
    case Operator::product: return f(Product{});
    case Operator::min: return f(Min{});
    case Operator::max: return f(Max{});
    case Operator::xor_: return f(Xor{});
    case Operator::sum_of_squares: break;
    }
    return f(SumOfSquares{});
}

template <class T> WARPTREE_HD T apply(Operator op, T a, T b) {
    switch (op) {
    case Operator::sum: return Sum::apply(a, b);
    case Operator::product: return Product::apply(a, b);
    case Operator::min: return Min::apply(a, b);
    case Operator::max: return Max::apply(a, b);
    case Operator::xor_: return Xor::apply(a, b);
    case Operator::sum_of_squares: break;
    }
    return Sum::apply(a, b);
}

template <class T> WARPTREE_HD T identity(Operator op) {
    switch (op) {
    case Operator::sum: return Sum::identity<T>;
    case Operator::product: return Product::identity<T>;
    case Operator::min: return Min::identity<T>;
    case Operator::max: return Max::identity<T>;
    case Operator::xor_: return Xor::identity<T>;
    case Operator::sum_of_squares: break;
    }
    return Sum::identity<T>;
}

// map(x) by the operator's name.
template <class T> WARPTREE_HD T map(Operator op, T x) {
    return op == Operator::sum_of_squares ? SumOfSquares::map(x) : x;
}

// Whether the GPU has a single instruction for the atomic; otherwise it is a compare-and-swap loop.
constexpr bool has_native_atomic(ElementType type, Operator op) {
    switch (op) {
    case Operator::sum:
    case Operator::sum_of_squares: return true;
    case Operator::min:
    case Operator::max: return !is_floating(type);
    case Operator::xor_: return !is_floating(type);
    case Operator::product: break;
    }
    return false;
}

} // namespace warptree
