#include "kernels/reference.hpp"

#include "kernels/simt/operators.hpp"

#include <cmath>
#include <limits>

namespace warptree {

namespace {
template <class T> Reference of_floats(const T* x, std::size_t n, Operator op, std::uint64_t depth) {
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
        const long double v = x[i];
        const long double next = sum + v;
        lost += std::abs(sum) >= std::abs(v) ? (sum - next) + v : (v - next) + sum;
        sum = next;
        magnitude += std::abs(v);
    }
    // An infinite or undefined sum has no lost part.
    const T value = static_cast<T>(std::isfinite(sum) ? sum + lost : sum);
    return {Scalar::of(value), static_cast<double>(magnitude) * unit * static_cast<double>(depth + 1)};
}
} // namespace

Reference reference(const Elements& input, Operator op, std::uint64_t depth) {
    return visit_element(input.type, [&](auto t) -> Reference {
        using T = decltype(t);
        const T* x = input.as<T>();
        if constexpr (std::is_floating_point_v<T>) {
            return of_floats(x, input.size(), op, depth);
        } else {
            T value = identity<T>(op);
            for (std::size_t i = 0; i < input.size(); ++i) {
                value = apply(op, value, x[i]);
            }
            return {Scalar::of(value), 0};
        }
    });
}

} // namespace warptree
