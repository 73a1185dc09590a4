#include "kernels/reference.hpp"

#include "kernels/simt/operators.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warptree {

namespace {
template <class T> Reference of_floats(const T* x, std::size_t n, Operator op, std::uint64_t depth) {
    const bool squares = op == Operator::sum_of_squares;
    const double unit = std::numeric_limits<T>::epsilon() / 2;
    if (op == Operator::min || op == Operator::max) {
        T value = identity<T>(op);
        for (std::size_t i = 0; i < n; ++i) {
            value = apply(op, value, x[i]);
        }
        return {Scalar::of(value), 0};
    }
    if (op == Operator::product) {
        long double product = 1;
        for (std::size_t i = 0; i < n; ++i) {
            product *= x[i];
        }
        const T value = static_cast<T>(product);
        return {Scalar::of(value), (static_cast<double>(n) + 1) * unit * std::abs(static_cast<double>(value)) +
                                       static_cast<double>(n) * std::numeric_limits<T>::denorm_min()};
    }
    long double sum = 0, lost = 0, magnitude = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const long double v = squares ? static_cast<long double>(x[i]) * x[i] : x[i];
        const long double next = sum + v;
        lost += std::abs(sum) >= std::abs(v) ? (sum - next) + v : (v - next) + sum;
        sum = next;
        magnitude += std::abs(v);
    }
    // An infinite or undefined sum has no lost part.
    const T value = static_cast<T>(std::isfinite(sum) ? sum + lost : sum);
    return {Scalar::of(value), static_cast<double>(magnitude) * unit * static_cast<double>(depth + (squares ? 2 : 1))};
}
} // namespace

namespace {
// Element (row, column) of the product of the matrices that lie one after the other at `x`.
template <class T>
Reference of_product(const T* x, const Arguments& shape, std::uint64_t row, std::uint64_t column, std::uint64_t depth) {
    const std::uint64_t rows = shape[0], columns = shape[1], inner = shape[2];
    const T* a = x + row * inner;
    const T* b = x + rows * inner + column;
    if constexpr (std::is_floating_point_v<T>) {
        long double sum = 0, magnitude = 0;
        for (std::uint64_t k = 0; k < inner; ++k) {
            const long double product = static_cast<long double>(a[k]) * b[k * columns];
            sum += product;
            magnitude += std::abs(product);
        }
        const double unit = std::numeric_limits<T>::epsilon() / 2;
        return {Scalar::of(static_cast<T>(sum)),
                static_cast<double>(magnitude) * unit * static_cast<double>(depth + 2)};
    } else {
        T sum = 0;
        for (std::uint64_t k = 0; k < inner; ++k) {
            sum = Sum::apply(sum, Product::apply(a[k], b[k * columns]));
        }
        return {Scalar::of(sum), 0};
    }
}

template <class T> Reference of(const T* x, std::size_t n, Operator op, std::uint64_t depth) {
    if constexpr (std::is_floating_point_v<T>) {
        return of_floats(x, n, op, depth);
    } else {
        T value = identity<T>(op);
        for (std::size_t i = 0; i < n; ++i) {
            value = apply(op, value, map(op, x[i]));
        }
        return {Scalar::of(value), 0};
    }
}
} // namespace

Reference reference(const Elements& input, Operator op, std::uint64_t depth) {
    return visit_element(input.type, [&](auto t) { return of(input.as<decltype(t)>(), input.size(), op, depth); });
}

void references(const Elements& input, const RunOptions& o, std::uint64_t depth,
                const std::function<void(std::uint64_t, const Reference&)>& tell) {
    const StrategyInfo& info = require_strategy(o.strategy);
    const Geometry geometry{input.size(), *o.block, arguments(info, o.parameters, o.n)};
    const std::uint64_t count = outputs_for(info, geometry);
    const std::uint64_t length = (input.size() + count - 1) / count;
    visit_element(input.type, [&](auto t) {
        using T = decltype(t);
        for (std::uint64_t i = 0; i < count; ++i) {
            if (info.answer == Answer::matrix) {
                const std::uint64_t columns = geometry.arguments[1];
                tell(i, of_product(input.as<T>(), geometry.arguments, i / columns, i % columns, depth));
                continue;
            }
            const std::uint64_t first = std::min<std::uint64_t>(i * length, input.size());
            const std::uint64_t end = std::min<std::uint64_t>(first + length, input.size());
            tell(i, of(input.as<T>() + first, end - first, o.op, depth));
        }
    });
}

} // namespace warptree
