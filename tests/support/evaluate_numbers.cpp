// The pure opcodes, implemented from their descriptions in opcode.hpp.
#include "tests/support/evaluate_thread.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace warptree::tests::evaluation {

using compile::Function;
using compile::Opcode;

namespace {

float f32(std::uint64_t v) { return std::bit_cast<float>(static_cast<std::uint32_t>(v)); }
double f64(std::uint64_t v) { return std::bit_cast<double>(v); }
std::uint64_t bits(float v) { return std::bit_cast<std::uint32_t>(v); }
std::uint64_t bits(double v) { return std::bit_cast<std::uint64_t>(v); }
std::int32_t i32(std::uint64_t v) { return static_cast<std::int32_t>(v); }
std::int64_t i64(std::uint64_t v) { return static_cast<std::int64_t>(v); }
std::uint32_t u32(std::uint64_t v) { return static_cast<std::uint32_t>(v); }

template <class I, class F> std::uint64_t clamped(F value) {
    if (std::isnan(value)) return 0;
    if (value <= static_cast<F>(std::numeric_limits<I>::min()))
        return static_cast<std::uint64_t>(std::numeric_limits<I>::min());
    if (value >= static_cast<F>(std::numeric_limits<I>::max()))
        return static_cast<std::uint64_t>(std::numeric_limits<I>::max());
    return static_cast<std::uint64_t>(static_cast<I>(value));
}

template <class F> std::uint64_t compared(F a, F b, std::uint64_t mask) {
    const unsigned outcome = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
    return (mask & outcome) != 0 ? 1 : 0;
}

std::uint64_t permuted(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    const std::uint64_t both = u32(a) | b << 32;
    std::uint64_t made = 0;
    for (int i = 0; i < 4; ++i) {
        const std::uint64_t selector = c >> (4 * i) & 15;
        std::uint64_t byte = both >> (8 * (selector & 7)) & 255;
        if ((selector & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
        made |= byte << (8 * i);
    }
    return made;
}

template <class T> T reversed(T v) {
    T made = 0;
    for (int i = 0; i < std::numeric_limits<T>::digits; ++i)
        made |= (v >> i & 1) << (std::numeric_limits<T>::digits - 1 - i);
    return made;
}

float half(std::uint64_t v) {
    const int exponent = static_cast<int>(v >> 10 & 31);
    const double fraction = static_cast<double>(v & 1023) / 1024;
    const double magnitude = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                             : exponent == 0 ? std::ldexp(fraction, -14)
                                             : std::ldexp(1 + fraction, exponent - 15);
    return static_cast<float>((v & 0x8000) != 0 ? -magnitude : magnitude);
}

float bfloat(std::uint64_t v) { return f32(v << 16); }

// The nearest value, ties to even, of a type whose bits mean what `value` says and whose infinity has the bits `end`.
template <class F> std::uint64_t nearest(double v, std::uint64_t end, F&& value) {
    const std::uint64_t sign = std::signbit(v) ? 0x8000 : 0;
    if (std::isnan(v)) return 0x7FFF;
    const double magnitude = std::fabs(v), last = value(end - 1);
    if (magnitude >= last + (last - value(end - 2)) / 2) return sign | end;
    std::uint64_t best = 0;
    for (std::uint64_t low = 0, high = end - 1; low <= high;) {
        const std::uint64_t middle = (low + high) / 2;
        if (value(middle) <= magnitude) {
            best = middle;
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    if (best == end - 1) return sign | best;
    const double below = magnitude - value(best), above = value(best + 1) - magnitude;
    if (above < below || (above == below && (best & 1) != 0)) ++best;
    return sign | best;
}
std::uint64_t to_half(double v) { return nearest(v, 0x7C00, half); }
std::uint64_t to_bfloat(double v) { return nearest(v, 0x7F80, bfloat); }

} // namespace

double evaluate_function(Function f, double a, double b, bool is_double) {
    const auto single = [&](double value) {
        return is_double ? value : static_cast<double>(static_cast<float>(value));
    };
    switch (f) {
    case Function::abs: return std::fabs(a);
    case Function::sqrt: return single(std::sqrt(a));
    case Function::rsqrt: return single(1 / std::sqrt(a));
    case Function::reciprocal: return single(1 / a);
    case Function::exp: return single(std::exp(a));
    case Function::exp2: return single(std::exp2(a));
    case Function::log: return single(std::log(a));
    case Function::log2: return single(std::log2(a));
    case Function::sin: return single(std::sin(a));
    case Function::cos: return single(std::cos(a));
    case Function::floor: return std::floor(a);
    case Function::ceil: return std::ceil(a);
    case Function::trunc: return std::trunc(a);
    case Function::round: return std::round(a);
    case Function::rint: return std::nearbyint(a);
    case Function::pow: return single(std::pow(a, b));
    case Function::copysign: return std::copysign(a, b);
    case Function::fmod: return single(std::fmod(a, b));
    case Function::ldexp: return std::ldexp(a, static_cast<int>(b));
    default: return NAN; // no test asks for it
    }
}

std::uint64_t evaluate_binary(Opcode op, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    switch (op) {
    case Opcode::add32: return u32(a + b);
    case Opcode::add64: return a + b;
    case Opcode::sub32: return u32(a - b);
    case Opcode::sub64: return a - b;
    case Opcode::mul32: return u32(a * b);
    case Opcode::mul64: return a * b;
    case Opcode::udiv32: return b == 0 ? 0xFFFFFFFF : u32(a) / u32(b);
    case Opcode::udiv64: return b == 0 ? ~0ULL : a / b;
    case Opcode::sdiv32:
        return b == 0 ? 0xFFFFFFFF : i32(b) == -1 ? u32(0 - a) : u32(static_cast<std::uint64_t>(i32(a) / i32(b)));
    case Opcode::sdiv64: return b == 0 ? ~0ULL : i64(b) == -1 ? 0 - a : static_cast<std::uint64_t>(i64(a) / i64(b));
    case Opcode::urem32: return b == 0 ? a : u32(a) % u32(b);
    case Opcode::urem64: return b == 0 ? a : a % b;
    case Opcode::srem32: return b == 0 ? a : i32(b) == -1 ? 0 : u32(static_cast<std::uint64_t>(i32(a) % i32(b)));
    case Opcode::srem64: return b == 0 ? a : i64(b) == -1 ? 0 : static_cast<std::uint64_t>(i64(a) % i64(b));
    case Opcode::shl32: return b >= 32 ? 0 : u32(a << b);
    case Opcode::shl64: return b >= 64 ? 0 : a << b;
    case Opcode::lshr32: return b >= 32 ? 0 : u32(a) >> b;
    case Opcode::lshr64: return b >= 64 ? 0 : a >> b;
    case Opcode::ashr32: return u32(static_cast<std::uint64_t>(i32(a) >> (b >= 32 ? 31 : b)));
    case Opcode::ashr64: return static_cast<std::uint64_t>(i64(a) >> (b >= 64 ? 63 : b));
    case Opcode::and32:
    case Opcode::and64: return a & b;
    case Opcode::or32:
    case Opcode::or64: return a | b;
    case Opcode::xor32:
    case Opcode::xor64: return a ^ b;
    case Opcode::smin32: return i32(a) < i32(b) ? a : b;
    case Opcode::smin64: return i64(a) < i64(b) ? a : b;
    case Opcode::smax32: return i32(a) > i32(b) ? a : b;
    case Opcode::smax64: return i64(a) > i64(b) ? a : b;
    case Opcode::umin32:
    case Opcode::umin64: return a < b ? a : b;
    case Opcode::umax32:
    case Opcode::umax64: return a > b ? a : b;
    case Opcode::umulhi32: return u32((a * b) >> 32);
    case Opcode::umulhi64: return static_cast<std::uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64);
    case Opcode::smulhi32: return u32(static_cast<std::uint64_t>((std::int64_t{i32(a)} * i32(b)) >> 32));
    case Opcode::smulhi64: return static_cast<std::uint64_t>((static_cast<__int128>(i64(a)) * i64(b)) >> 64);
    case Opcode::fadd32: return bits(f32(a) + f32(b));
    case Opcode::fadd64: return bits(f64(a) + f64(b));
    case Opcode::fsub32: return bits(f32(a) - f32(b));
    case Opcode::fsub64: return bits(f64(a) - f64(b));
    case Opcode::fmul32: return bits(f32(a) * f32(b));
    case Opcode::fmul64: return bits(f64(a) * f64(b));
    case Opcode::fdiv32: return bits(f32(a) / f32(b));
    case Opcode::fdiv64: return bits(f64(a) / f64(b));
    case Opcode::frem32: return bits(std::fmod(f32(a), f32(b)));
    case Opcode::frem64: return bits(std::fmod(f64(a), f64(b)));
    case Opcode::fmin32: return bits(std::fmin(f32(a), f32(b)));
    case Opcode::fmin64: return bits(std::fmin(f64(a), f64(b)));
    case Opcode::fmax32: return bits(std::fmax(f32(a), f32(b)));
    case Opcode::fmax64: return bits(std::fmax(f64(a), f64(b)));
    case Opcode::fma32: return bits(std::fma(f32(a), f32(b), f32(c)));
    case Opcode::fma_odd64: { // long double has 64 bits: exact for half precision, and for sums of near exponents
        const long double exact = static_cast<long double>(f64(a)) * f64(b) + f64(c);
        const auto rounded = static_cast<double>(exact);
        if (rounded == exact || (bits(rounded) & 1) != 0 || !std::isfinite(rounded)) return bits(rounded);
        return bits(std::nextafter(rounded, exact > rounded ? INFINITY : -INFINITY));
    }
    case Opcode::fma64: return bits(std::fma(f64(a), f64(b), f64(c)));
    case Opcode::fneg32: return bits(-f32(a));
    case Opcode::fneg64: return bits(-f64(a));
    case Opcode::eq32:
    case Opcode::eq64: return a == b ? 1 : 0;
    case Opcode::ne32:
    case Opcode::ne64: return a != b ? 1 : 0;
    case Opcode::ult32:
    case Opcode::ult64: return a < b ? 1 : 0;
    case Opcode::ule32:
    case Opcode::ule64: return a <= b ? 1 : 0;
    case Opcode::slt32: return i32(a) < i32(b) ? 1 : 0;
    case Opcode::slt64: return i64(a) < i64(b) ? 1 : 0;
    case Opcode::sle32: return i32(a) <= i32(b) ? 1 : 0;
    case Opcode::sle64: return i64(a) <= i64(b) ? 1 : 0;
    case Opcode::fcmp32: return compared(f32(a), f32(b), c);
    case Opcode::fcmp64: return compared(f64(a), f64(b), c);
    case Opcode::select32:
    case Opcode::select64: return c != 0 ? a : b;
    case Opcode::mov32:
    case Opcode::mov64:
    case Opcode::zext64: return a;
    case Opcode::sext64: return static_cast<std::uint64_t>(std::int64_t{i32(a)});
    case Opcode::trunc32: return u32(a);
    case Opcode::keep_low: return b >= 32 ? a : a & ((1ULL << b) - 1);
    case Opcode::sign_low: return u32(static_cast<std::uint64_t>(i32(a << (32 - b)) >> (32 - b)));
    case Opcode::int_to_f32: return bits(static_cast<float>(i32(a)));
    case Opcode::uint_to_f32: return bits(static_cast<float>(u32(a)));
    case Opcode::long_to_f32: return bits(static_cast<float>(i64(a)));
    case Opcode::ulong_to_f32: return bits(static_cast<float>(a));
    case Opcode::int_to_f64: return bits(static_cast<double>(i32(a)));
    case Opcode::uint_to_f64: return bits(static_cast<double>(u32(a)));
    case Opcode::long_to_f64: return bits(static_cast<double>(i64(a)));
    case Opcode::ulong_to_f64: return bits(static_cast<double>(a));
    case Opcode::f32_to_int: return u32(clamped<std::int32_t>(f32(a)));
    case Opcode::f32_to_uint: return clamped<std::uint32_t>(f32(a));
    case Opcode::f32_to_long: return clamped<std::int64_t>(f32(a));
    case Opcode::f32_to_ulong: return clamped<std::uint64_t>(f32(a));
    case Opcode::f64_to_int: return u32(clamped<std::int32_t>(f64(a)));
    case Opcode::f64_to_uint: return clamped<std::uint32_t>(f64(a));
    case Opcode::f64_to_long: return clamped<std::int64_t>(f64(a));
    case Opcode::f64_to_ulong: return clamped<std::uint64_t>(f64(a));
    case Opcode::f32_to_f64: return bits(static_cast<double>(f32(a)));
    case Opcode::f64_to_f32: return bits(static_cast<float>(f64(a)));
    case Opcode::f16_to_f32: return bits(half(a));
    case Opcode::f32_to_f16: return to_half(f32(a));
    case Opcode::f64_to_f16: return to_half(f64(a));
    case Opcode::f32_to_bf16: return to_bfloat(f32(a));
    case Opcode::f64_to_bf16: return to_bfloat(f64(a));
    case Opcode::popc32:
    case Opcode::popc64: return static_cast<std::uint64_t>(std::popcount(a));
    case Opcode::clz32: return static_cast<std::uint64_t>(std::countl_zero(u32(a)));
    case Opcode::clz64: return static_cast<std::uint64_t>(std::countl_zero(a));
    case Opcode::ctz32: return static_cast<std::uint64_t>(std::countr_zero(u32(a)));
    case Opcode::ctz64: return static_cast<std::uint64_t>(std::countr_zero(a));
    case Opcode::brev32: return reversed(u32(a));
    case Opcode::brev64: return reversed(a);
    case Opcode::prmt: return permuted(a, b, c);
    case Opcode::math32:
        return bits(static_cast<float>(evaluate_function(
            static_cast<Function>(c), f32(a), static_cast<Function>(c) == Function::ldexp ? i32(b) : f32(b), false)));
    case Opcode::math64:
        return bits(evaluate_function(static_cast<Function>(c), f64(a),
                                      static_cast<Function>(c) == Function::ldexp ? i32(b) : f64(b), true));
    default: return 0;
    }
}

} // namespace warptree::tests::evaluation
