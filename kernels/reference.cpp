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
    const Geometry geometry{input.size(), *o.block, arguments(info, o.parameters)};
    const std::uint64_t count = outputs_for(info, geometry);
    const std::uint64_t length = (input.size() + count - 1) / count;
    visit_element(input.type, [&](auto t) {
        using T = decltype(t);
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t first = std::min<std::uint64_t>(i * length, input.size());
            const std::uint64_t end = std::min<std::uint64_t>(first + length, input.size());
            tell(i, of(input.as<T>() + first, end - first, o.op, depth));
        }
    });
}

} // namespace warptree
