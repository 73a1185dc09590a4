// Expressions, lowered and evaluated, compared with the host compiler's results for the same text.
#include "tests/support/evaluate.hpp"
#include "tests/support/snippet.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace warptree::tests {
namespace {

using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned;
using ulong = unsigned long long;
using schar = signed char;
using slong = long long;

constexpr const char* kNames =
    "typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned uint;\n"
    "typedef unsigned long long ulong; typedef signed char schar; typedef long long slong;\n";

// Signed values stay small, because signed overflow is undefined on the host; unsigned ones include the corner cases.
template <class T> std::vector<T> inputs(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<T> values;
    for (int i = 0; i < 64; ++i) {
        if constexpr (std::is_floating_point_v<T>)
            values.push_back(static_cast<T>(std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -50)));
        else if constexpr (std::is_signed_v<T>)
            values.push_back(static_cast<T>(static_cast<int>(random() % 2001) - 1000));
        else
            values.push_back(static_cast<T>(i % 8 == 0 ? 0ULL - (random() % 3) : random() >> (random() % 64)));
    }
    return values;
}

template <class T, class R, class F>
void expect_same(const std::string& type, const std::string& result, const std::string& expression, F&& host) {
    const compile::Program program =
        lower_snippet(std::string(kNames) + "__global__ void k(const " + type + "* x, const " + type + "* y, " +
                      result + "* out) {\n const " + type +
                      " a = x[threadIdx.x], b = y[threadIdx.x];\n out[threadIdx.x] = " + expression + ";\n}");
    Evaluator evaluator(program);
    const std::vector<T> a = inputs<T>(1), b = inputs<T>(2);
    const std::uint64_t x = evaluator.array(a), y = evaluator.array(b), out = evaluator.allocate(64 * sizeof(R));
    ASSERT_EQ(evaluator.run(program.kernels.front().name, {x, y, out}, 1, 64), "");
    const std::vector<R> got = evaluator.values<R>(out, 64);
    for (std::size_t i = 0; i < 64; ++i) {
        const R expected = host(a[i], b[i]);
        const bool both_nan = expected != expected && got[i] != got[i];
        ASSERT_TRUE(both_nan || got[i] == expected)
            << expression << " of " << +a[i] << ", " << +b[i] << " is " << +expected << ", not " << +got[i] << "\n"
            << compile::listing(program);
    }
}

#define EXPRESSION(name, T, R, ...)                                                                                    \
    TEST(LowerNumbers, name) {                                                                                         \
        expect_same<T, R>(#T, #R, #__VA_ARGS__,                                                                        \
                          []([[maybe_unused]] T a, [[maybe_unused]] T b) -> R { return __VA_ARGS__; });                \
    }

EXPRESSION(UnsignedInt, uint, uint, (a + b) * 3 - (a ^ b) / (b | 1) + a % (b | 1) + (a << (b & 31)) + (a >> (b & 31)))
EXPRESSION(UnsignedLong, ulong, ulong,
           (a + b) * 3 - (a ^ b) / (b | 1) + a % (b | 1) + (a << (b & 63)) + (a >> (b & 63)))
EXPRESSION(SignedInt, int, int, (a + b) * 3 - a / (b | 1) + a % (b | 1) + (a >> (b & 7)) - (a & b) + ~a)
EXPRESSION(SignedLong, slong, slong, (a + b) * 3 - a / (b | 1) + a % (b | 1) + (a >> (b & 7)) - (a & b) + ~a)
EXPRESSION(SignedChar, schar, schar, static_cast<schar>((a + b) * 3 - a / (b | 1) + (a >> 2)))
EXPRESSION(UnsignedChar, uchar, uchar, static_cast<uchar>((a + b) * 3 - a / (b | 1) + (a >> 2) + (a << 3)))
EXPRESSION(SignedShort, short, short, static_cast<short>((a + b) * 3 - a / (b | 1) + (a >> 2) * (b >> 3)))
EXPRESSION(UnsignedShort, ushort, ushort, static_cast<ushort>((a + b) * 3 - a % (b | 1) + (a >> 2)))
EXPRESSION(CompareInt, int, int, (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b) + 32 * (a != b))
EXPRESSION(CompareUnsigned, uint, int, (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b))
EXPRESSION(CompareChar, schar, int, (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b))
EXPRESSION(CompareLong, slong, int, (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b))
EXPRESSION(CompareFloat, float, int,
           (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b) + 32 * (a != b))
EXPRESSION(CompareWithNan, float, int,
           ((a - a) / (b - b) < b) + 2 * !((a - a) / (b - b) >= b) + 4 * ((a - a) / (b - b) != a))
EXPRESSION(Float, float, float, a + b * a - a / b + -b)
EXPRESSION(Double, double, double, a + b * a - a / b + -b)
EXPRESSION(Ternary, int, int, a > b ? a - b : b > 3 ? b : 7)
EXPRESSION(ShortCircuit, int, int, (a > 0 && b > 0) || (a < -500 && !(b == 3)) ? 1 : 0)
EXPRESSION(IntToFloat, int, float, static_cast<float>(a) / 3 + static_cast<float>(static_cast<uint>(b)))
EXPRESSION(UnsignedToFloat, uint, float, static_cast<float>(a))
EXPRESSION(LongToDouble, slong, double, static_cast<double>(a) * 0.5 + static_cast<double>(static_cast<ulong>(b)))
EXPRESSION(UnsignedLongToFloat, ulong, float, static_cast<float>(a))
EXPRESSION(FloatToInt, float, int, static_cast<int>(a) + static_cast<int>(static_cast<slong>(b)))
EXPRESSION(DoubleToLong, double, slong, static_cast<slong>(a) - static_cast<int>(b))
EXPRESSION(FloatToChar, float, int, static_cast<schar>(static_cast<int>(a) % 100) + static_cast<short>(b))
EXPRESSION(FloatToDouble, float, double, static_cast<double>(a) * static_cast<double>(b))
EXPRESSION(DoubleToFloat, double, float, static_cast<float>(a) + static_cast<float>(b))
EXPRESSION(Widen, schar, slong, static_cast<slong>(a) * 1000 + static_cast<uchar>(b))
EXPRESSION(Narrow, ulong, uint, static_cast<uint>(a) + static_cast<ushort>(b) + static_cast<uchar>(a >> 9))
EXPRESSION(Bits, uint, int, __builtin_popcount(a) * 100 + (b == 0 ? 99 : __builtin_clz(b) - __builtin_ctz(b)))
EXPRESSION(LongBits, ulong, int,
           __builtin_popcountll(a) * 100 + (b == 0 ? 99 : __builtin_clzll(b) - __builtin_ctzll(b)))
EXPRESSION(SwappedBytes, uint, uint, __builtin_bswap32(a) ^ __builtin_bswap16(static_cast<ushort>(b)))
EXPRESSION(SwappedLong, ulong, ulong, __builtin_bswap64(a))
EXPRESSION(Reinterpret, float, uint, __builtin_bit_cast(uint, a) ^ __builtin_bit_cast(uint, b))
EXPRESSION(ReinterpretDouble, double, ulong, __builtin_bit_cast(ulong, a) + 1)
EXPRESSION(Absolute, int, int, __builtin_abs(a) - __builtin_abs(b))
EXPRESSION(Rounding, float, float, __builtin_floorf(a / 7) + __builtin_ceilf(b / 3) - __builtin_truncf(a * 0.3F))
EXPRESSION(Roots, double, double, __builtin_sqrt(__builtin_fabs(a)) + __builtin_copysign(a, b))
EXPRESSION(LeastAndMost, float, float, __builtin_fminf(a, b) - 2 * __builtin_fmaxf(a, 0.5F))
EXPRESSION(Fused, float, float, __builtin_fmaf(a, b, 1.5F))
EXPRESSION(Remainder, double, double, __builtin_fmod(a, 3.25))
EXPRESSION(BoolThroughMemory, int, int, [](int x, int y) {
    bool f[2] = {x > y, x == y};
    return f[x & 1] ? 3 : 4 + f[0];
}(a, b))
EXPRESSION(Enumeration, int, int, [](int x) {
    enum E : short { A = -3, B = 9 };
    E e = x > 0 ? A : B;
    return e * 2;
}(a))

TEST(LowerNumbers, HalfPrecisionRoundsToNearest) {
    const compile::Program program = lower_snippet(R"(
__global__ void k(const float* x, float* out, unsigned short* bits) {
  _Float16 h = (_Float16)x[threadIdx.x];
  bits[threadIdx.x] = __builtin_bit_cast(unsigned short, h);
  out[threadIdx.x] = (float)(h * (_Float16)3 + (_Float16)0.5f) + (h > (_Float16)1);
})");
    Evaluator evaluator(program);
    const std::vector<float> a = {0,     1,     -2,       0.1F,       65504,           65519,         65520,
                                  1e-8F, 6e-8F, 5.97e-8F, 1.0009765F, -1.00048828125F, 1.00146484375F};
    const std::uint64_t x = evaluator.array(a), out = evaluator.allocate(4 * a.size()),
                        bits = evaluator.allocate(2 * a.size());
    ASSERT_EQ(evaluator.run(program.kernels.front().name, {x, out, bits}, 1, static_cast<unsigned>(a.size())), "");
    const std::vector<std::uint16_t> expected = {0x0000, 0x3C00, 0xC000, 0x2E66, 0x7BFF, 0x7BFF, 0x7C00,
                                                 0x0000, 0x0001, 0x0001, 0x3C01, 0xBC00, 0x3C02};
    EXPECT_EQ(evaluator.values<std::uint16_t>(bits, a.size()), expected);
    EXPECT_EQ(evaluator.values<float>(out, 4), (std::vector<float>{0.5F, 3.5F, -5.5F, 0.7998046875F}));
}

} // namespace
} // namespace warptree::tests
