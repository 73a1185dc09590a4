#include "app/simt/arithmetic.hpp"

#include <numbers>

namespace warptree::simt {

namespace {
template <class F> F inverse_error_function(F x) {
    if (std::isnan(x) || std::fabs(x) > 1) {
        return std::numeric_limits<F>::quiet_NaN();
    }
    if (std::fabs(x) == 1) {
        return std::copysign(std::numeric_limits<F>::infinity(), x);
    }
    // Winitzki's approximation (2008), then Newton steps in double.
    const double y = x, l = std::log1p(-y * y), t = 2 / (std::numbers::pi * 0.147) + l / 2;
    double r = std::copysign(std::sqrt(std::sqrt(t * t - l / 0.147) - t), y);
    for (int k = 0; k < 4; ++k) {
        r -= (std::erf(r) - y) / (2 / std::sqrt(std::numbers::pi) * std::exp(-r * r));
    }
    return static_cast<F>(r);
}

// Exact where the result is 0 or 1, as sin(pi * x) is not.
double sine_of_pi(double x) {
    const double turn = std::remainder(x, 2.0), half = std::fabs(turn); // between -1 and 1
    const double from_zero = half > 0.5 ? 1 - half : half;
    const double value =
        from_zero > 0.25 ? std::cos((0.5 - from_zero) * std::numbers::pi) : std::sin(from_zero * std::numbers::pi);
    return std::copysign(value, turn);
}
double cosine_of_pi(double x) {
    const double half = std::fabs(std::remainder(x, 2.0));
    return half < 0.25   ? std::cos(half * std::numbers::pi)
           : half > 0.75 ? -std::cos((1 - half) * std::numbers::pi)
                         : std::sin((0.5 - half) * std::numbers::pi);
}

// Functions that no machine computes exactly. In float they are those of double, rounded, which is the nearest float, as
// on a GPU that is traced (device_math.hpp).
constexpr bool rounds(compile::Function f) {
    using compile::Function;
    return (f >= Function::cbrt && f <= Function::lgamma) || f == Function::pow || f == Function::atan2 ||
           f == Function::hypot;
}

template <class F> int exponent_of(F b) {
    if constexpr (sizeof(F) == 4) {
        return static_cast<int>(bits_of(b));
    } else {
        return static_cast<int>(static_cast<std::uint32_t>(bits_of(b)));
    }
}
} // namespace

template <class F> F evaluate(compile::Function f, F a, F b) {
    using compile::Function;
    if constexpr (sizeof(F) == 4) {
        if (rounds(f)) {
            return static_cast<float>(evaluate<double>(f, a, b));
        }
    }
    switch (f) {
    case Function::abs: return std::fabs(a);
    case Function::sqrt: return std::sqrt(a);
    case Function::rsqrt: return 1 / std::sqrt(a);
    case Function::reciprocal: return 1 / a;
    case Function::cbrt: return std::cbrt(a);
    case Function::exp: return std::exp(a);
    case Function::exp2: return std::exp2(a);
    case Function::exp10: return std::pow(F{10}, a);
    case Function::expm1: return std::expm1(a);
    case Function::log: return std::log(a);
    case Function::log2: return std::log2(a);
    case Function::log10: return std::log10(a);
    case Function::log1p: return std::log1p(a);
    case Function::sin: return std::sin(a);
    case Function::cos: return std::cos(a);
    case Function::tan: return std::tan(a);
    case Function::asin: return std::asin(a);
    case Function::acos: return std::acos(a);
    case Function::atan: return std::atan(a);
    case Function::sinh: return std::sinh(a);
    case Function::cosh: return std::cosh(a);
    case Function::tanh: return std::tanh(a);
    case Function::asinh: return std::asinh(a);
    case Function::acosh: return std::acosh(a);
    case Function::atanh: return std::atanh(a);
    case Function::sinpi: return static_cast<F>(sine_of_pi(a));
    case Function::cospi: return static_cast<F>(cosine_of_pi(a));
    case Function::erf: return std::erf(a);
    case Function::erfc: return std::erfc(a);
    case Function::erfinv: return inverse_error_function(a);
    case Function::normcdf: return std::erfc(-a / std::numbers::sqrt2_v<F>) / 2;
    case Function::tgamma: return std::tgamma(a);
    case Function::lgamma: return std::lgamma(a);
    case Function::floor: return std::floor(a);
    case Function::ceil: return std::ceil(a);
    case Function::trunc: return std::trunc(a);
    case Function::round: return std::round(a);
    case Function::rint: return std::nearbyint(a);
    case Function::saturate: return a >= 1 ? F{1} : a > 0 ? a : F{0}; // NaN gives 0
    case Function::pow: return std::pow(a, b);
    case Function::atan2: return std::atan2(a, b);
    case Function::fmod: return std::fmod(a, b);
    case Function::remainder: return std::remainder(a, b);
    case Function::hypot: return std::hypot(a, b);
    case Function::copysign: return std::copysign(a, b);
    case Function::nextafter: return std::nextafter(a, b);
    case Function::ldexp: return std::ldexp(a, exponent_of(b));
    case Function::count: break;
    }
    return a;
}
template float evaluate(compile::Function, float, float);
template double evaluate(compile::Function, double, double);

} // namespace warptree::simt
