#include "app/measure/timing/expected.hpp"

#include "app/base/operators.hpp"
#include "app/measure/timing/in_parts.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace warptree::timing {

namespace {
// Neumaier's compensated sum.
struct Compensated {
    long double sum = 0, lost = 0, magnitude = 0;
    void add(long double v) {
        const long double next = sum + v;
        lost += std::abs(sum) >= std::abs(v) ? (sum - next) + v : (v - next) + sum;
        sum = next;
        magnitude += std::abs(v);
    }
};

template <class T> Reference float_sum(Data data, std::uint64_t n, std::uint64_t seed, std::uint64_t depth) {
    const auto parts = in_parts(n, [&](std::uint64_t first, std::uint64_t end) {
        Compensated c;
        for (std::uint64_t i = first; i < end; ++i) {
            c.add(element<T>(data, seed, i));
        }
        return c;
    });
    Compensated all;
    long double magnitude = 0;
    for (const Compensated& c : parts) {
        all.add(c.sum);
        all.add(c.lost);
        magnitude += c.magnitude;
    }
    const double unit = std::numeric_limits<T>::epsilon() / 2;
    return {Scalar::of(static_cast<T>(all.sum + all.lost)),
            data == Data::whole ? 0 : static_cast<double>(magnitude) * unit * static_cast<double>(depth + 1)};
}

template <class T> Reference total(Data data, std::uint64_t n, Operator op, std::uint64_t seed, std::uint64_t depth) {
    if constexpr (std::is_floating_point_v<T>) {
        if (op == Operator::sum) {
            return float_sum<T>(data, n, seed, depth);
        }
    }
    return visit_operator(op, [&](auto tag) -> Reference {
        using Op = decltype(tag);
        const auto parts = in_parts(n, [&](std::uint64_t first, std::uint64_t end) {
            T value = Op::template identity<T>;
            for (std::uint64_t i = first; i < end; ++i) {
                value = Op::apply(value, element<T>(data, seed, i));
            }
            return value;
        });
        T value = Op::template identity<T>;
        for (const T part : parts) {
            value = Op::apply(value, part);
        }
        return {Scalar::of(value), 0};
    });
}
} // namespace

Reference expected_total(Data data, std::uint64_t n, ElementType type, Operator op, std::uint64_t seed,
                         std::uint64_t depth) {
    return visit_element(type, [&](auto t) { return total<decltype(t)>(data, n, op, seed, depth); });
}

std::uint32_t expected_words(Data data, std::uint64_t n, ElementType type, std::uint64_t seed) {
    return visit_element(type, [&](auto t) {
        using T = decltype(t);
        const auto parts = in_parts(n, [&](std::uint64_t first, std::uint64_t end) {
            std::uint32_t sum = 0;
            for (std::uint64_t i = first; i < end; ++i) {
                const T x = element<T>(data, seed, i);
                std::uint32_t words[sizeof(T) / 4];
                std::memcpy(words, &x, sizeof x);
                for (const std::uint32_t w : words) {
                    sum += w;
                }
            }
            return sum;
        });
        std::uint32_t sum = 0;
        for (const std::uint32_t part : parts) {
            sum += part;
        }
        return sum;
    });
}

Scalar host_total(ElementType type, Operator op, const void* partials, std::size_t count) {
    return visit_element(type, [&](auto t) {
        using T = decltype(t);
        const auto* x = static_cast<const T*>(partials);
        if constexpr (std::is_floating_point_v<T>) {
            if (op == Operator::sum) {
                double sum = 0;
                for (std::size_t i = 0; i < count; ++i) {
                    sum += static_cast<double>(x[i]);
                }
                return Scalar::of(static_cast<T>(sum));
            }
        }
        return visit_operator(op, [&](auto tag) {
            using Op = decltype(tag);
            T value = Op::template identity<T>;
            for (std::size_t i = 0; i < count; ++i) {
                value = Op::apply(value, x[i]);
            }
            return Scalar::of(value);
        });
    });
}

} // namespace warptree::timing
