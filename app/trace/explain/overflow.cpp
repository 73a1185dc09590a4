#include "app/trace/explain/overflow.hpp"

#include "app/base/element.hpp"
#include "app/base/random.hpp"
#include "app/base/type_words.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace warptree {

namespace {
// The exact value, rounded to long double, and the same modulo 2^64.
struct Exact {
    long double value = 0;
    std::uint64_t wrapped = 0;
};

template <class T> T element(const RunOptions& o, std::uint64_t i) {
    switch (o.input) {
    case InputKind::ones: return T(1);
    case InputKind::iota: return static_cast<T>(i);
    case InputKind::alternating: return i % 2 == 0 ? T(1) : std::is_unsigned_v<T> ? T(0) : static_cast<T>(-1);
    case InputKind::random:
    case InputKind::file: break;
    }
    return random_element<T>(o.seed, i);
}

template <class T> Exact sum(const RunOptions& o) {
    Exact out;
    if (o.input == InputKind::iota && o.n <= static_cast<std::uint64_t>(std::numeric_limits<T>::max())) {
        const auto n = static_cast<long double>(o.n);
        out.value = n * (n - 1) / 2;
        out.wrapped = o.n % 2 == 0 ? o.n / 2 * (o.n - 1) : o.n * ((o.n - 1) / 2);
        return out;
    }
    constexpr long double kLargest = 200; // largest magnitude of the other generated inputs
    if (o.input == InputKind::iota ||
        kLargest * static_cast<long double>(o.n) <= static_cast<long double>(std::numeric_limits<T>::max())) {
        return out; // the input itself wraps, or the sum cannot overflow
    }
    for (std::uint64_t i = 0; i < o.n; ++i) {
        const T x = element<T>(o, i);
        out.value += static_cast<long double>(x);
        out.wrapped += static_cast<std::uint64_t>(x);
    }
    return out;
}

template <class T> Exact product(const RunOptions& o) {
    Exact out{1, 1};
    for (std::uint64_t i = 0; i < o.n && out.value != 0; ++i) {
        const T x = element<T>(o, i);
        out.value *= static_cast<long double>(x);
        out.wrapped *= static_cast<std::uint64_t>(x);
    }
    return out;
}

std::string written(long double value) {
    return std::abs(value) < 1e18L ? fmt::format("{}", static_cast<std::int64_t>(value)) : fmt::format("{:.3e}", value);
}
} // namespace

std::string explain_overflow(const Trace& trace) {
    const RunOptions& o = trace.options;
    if (is_floating(o.type) || o.input == InputKind::file || (o.op != Operator::sum && o.op != Operator::product)) {
        return {};
    }
    std::string text;
    visit_element(o.type, [&](auto tag) {
        using T = decltype(tag);
        if constexpr (std::is_integral_v<T>) {
            const Exact exact = o.op == Operator::sum ? sum<T>(o) : product<T>(o);
            const auto most = static_cast<long double>(std::numeric_limits<T>::max());
            const auto least = static_cast<long double>(std::numeric_limits<T>::min());
            // The reference must be exactly this value, wrapped; otherwise the run computes something else.
            if ((exact.value <= most && exact.value >= least) ||
                Scalar::of(static_cast<T>(exact.wrapped)).bits != trace.reference.bits) {
                return;
            }
            const bool above = exact.value > most;
            text = fmt::format("The exact {} is {}, {} than {} {} holds ({}). Integers wrap around: the check expects "
                               "the value modulo 2^{}.",
                               name(o.op), written(exact.value), above ? "more" : "less",
                               o.type == ElementType::i64 ? "a" : "an", c_name(o.type), written(above ? most : least),
                               8 * sizeof(T));
        }
    });
    return text;
}

} // namespace warptree
