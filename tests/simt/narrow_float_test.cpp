// __half and __nv_bfloat16: conversions, arithmetic, comparisons, functions and atomics, as the interpreter computes them,
// against a reference in exact integer arithmetic.
#include "app/compile/client/compiler.hpp"
#include "app/simt/machine.hpp"
#include "tests/support/kernel_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace warptree::tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Wide = unsigned __int128;

enum class Mode { rn, rz, ru, rd };
constexpr const char* kModes[] = {"rn", "rz", "ru", "rd"};

struct Format {
    const char *word, *type, *pair;
    int exponent_bits, fraction_bits;

    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    std::uint32_t infinity() const { return ((1U << exponent_bits) - 1) << fraction_bits; }
    bool is_nan(std::uint32_t bits) const { return (bits & 0x7FFF) > infinity(); }
    bool is_finite(std::uint32_t bits) const { return (bits & 0x7FFF) < infinity(); }

    // magnitude * 2^exponent, in integers.
    std::uint32_t round(bool negative, Wide magnitude, int exponent, Mode mode = Mode::rn) const {
        const std::uint32_t sign = negative ? 0x8000 : 0;
        if (magnitude == 0) return sign;
        int length = 0;
        for (Wide rest = magnitude; rest != 0; rest >>= 1) ++length;
        const int last = std::max(length - 1 + exponent, 1 - bias()) - fraction_bits; // exponent of the last bit kept
        const int drop = last - exponent;
        Wide kept = 0, rest = magnitude;
        bool above_half = false, is_half = false;
        if (drop <= 0) {
            kept = magnitude << -drop;
            rest = 0;
        } else if (drop < 128) {
            kept = magnitude >> drop;
            rest = magnitude - (kept << drop);
            above_half = rest > Wide{1} << (drop - 1);
            is_half = rest == Wide{1} << (drop - 1);
        }
        const bool away = mode == Mode::rn   ? above_half || (is_half && (kept & 1) != 0)
                          : mode == Mode::rz ? false
                                             : rest != 0 && negative == (mode == Mode::rd);
        kept += away ? 1 : 0;
        if (kept < Wide{1} << fraction_bits) return sign | static_cast<std::uint32_t>(kept);
        int field = last + fraction_bits + bias();
        if (kept == Wide{2} << fraction_bits) {
            kept >>= 1;
            ++field;
        }
        if (field >= (1 << exponent_bits) - 1) {
            const bool to_infinity = mode == Mode::rn || (mode != Mode::rz && negative == (mode == Mode::rd));
            return sign | (to_infinity ? infinity() : infinity() - 1);
        }
        return sign | static_cast<std::uint32_t>(field) << fraction_bits |
               static_cast<std::uint32_t>(kept - (Wide{1} << fraction_bits));
    }
    std::uint32_t round(double value, Mode mode = Mode::rn) const {
        if (std::isnan(value)) return 0x7FFF;
        if (std::isinf(value)) return infinity() | (value < 0 ? 0x8000U : 0U);
        int exponent = 0;
        const double fraction = std::frexp(std::fabs(value), &exponent);
        return round(std::signbit(value), static_cast<Wide>(std::ldexp(fraction, 53)), exponent - 53, mode);
    }
    std::uint32_t of_integer(bool negative, std::uint64_t magnitude, Mode mode) const {
        return round(negative && magnitude != 0, magnitude, 0, mode);
    }
    double value(std::uint32_t bits) const {
        const int field = static_cast<int>((bits & 0x7FFF) >> fraction_bits);
        const auto fraction = static_cast<double>(bits & ((1U << fraction_bits) - 1));
        double magnitude = field == 0 ? std::ldexp(fraction, 1 - bias() - fraction_bits)
                                      : std::ldexp(fraction + (1 << fraction_bits), field - bias() - fraction_bits);
        if ((bits & 0x7FFF) == infinity()) magnitude = INFINITY;
        if (is_nan(bits)) return NAN;
        return (bits & 0x8000) != 0 ? -magnitude : magnitude;
    }
};

constexpr Format kHalf{"half", "__half", "__half2", 5, 10};
constexpr Format kBfloat{"bfloat16", "__nv_bfloat16", "__nv_bfloat162", 8, 7};

std::vector<std::uint16_t> all() {
    std::vector<std::uint16_t> bits(65536);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
    return bits;
}

// Kernels that map an array, compiled together.
class Maps {
  public:
    // An expression of x, which has type A, with a result of type R.
    std::size_t add(const std::string& a, const std::string& r, const std::string& expression) {
        text_ += fmt::format("__global__ void k{}(const {}* in, {}* out) {{\n  const int i = blockIdx.x * blockDim.x + "
                             "threadIdx.x;\n  const {} x = in[i];\n  out[i] = {};\n}}\n",
                             count_, a, r, a, expression);
        return count_++;
    }
    template <class R, class A> std::vector<R> run(std::size_t kernel, const std::vector<A>& in) {
        if (program_ == nullptr) {
            compile::Request request;
            request.name = "maps.cu";
            request.text = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n" + text_;
            program_ = std::make_unique<compile::Program>(compile::Compiler().compile(request));
            EXPECT_EQ(program_->kernels.size(), count_);
            for (const auto& d : program_->diagnostics) EXPECT_EQ(d.message, "");
        }
        std::vector<R> out(in.size());
        if (kernel >= program_->kernels.size()) return out;
        simt::Memory memory(*program_);
        const auto array = [&](std::size_t bytes, const void* from) {
            const auto fill = [from](std::uint64_t first, std::uint64_t count, std::byte* to) {
                if (from != nullptr) std::memcpy(to, static_cast<const std::byte*>(from) + first, count);
            };
            const std::uint32_t allocation = memory.add({"array", ValueType::u8, 1, bytes}, fill);
            memory[allocation].grow(bytes);
            return allocation;
        };
        const std::size_t threads = (in.size() + 255) / 256 * 256;
        std::vector<A> padded = in;
        padded.resize(threads);
        const std::uint32_t from = array(threads * sizeof(A), padded.data()), to = array(threads * sizeof(R), nullptr);
        simt::LaunchSetup setup;
        setup.program = program_.get();
        setup.kernel = static_cast<std::uint32_t>(kernel);
        setup.grid = {static_cast<std::uint32_t>(threads / 256), 1, 1};
        setup.block = {256, 1, 1};
        setup.arguments = {{compile::allocation_address(from), {}}, {compile::allocation_address(to), {}}};
        setup.memory = &memory;
        setup.window_count = 0;
        Launch launch;
        simt::run(setup, launch);
        EXPECT_THAT(launch.findings, IsEmpty());
        std::memcpy(out.data(), memory[to].data(), out.size() * sizeof(R));
        return out;
    }

  private:
    std::string text_;
    std::size_t count_ = 0;
    std::unique_ptr<compile::Program> program_;
};

struct Triple {
    std::uint16_t a, b, c, unused;
};

class NarrowFloat : public testing::TestWithParam<Format> {
  protected:
    const Format format = GetParam();
    // "__float2half_rz" for "float2$_rz"; $: the type's word, %: its name, @: its pair's.
    std::string named(std::string text) const {
        for (const auto& [mark, by] : {std::pair{'$', format.word}, {'%', format.type}, {'@', format.pair}})
            for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) text.replace(at, 1, by);
        return text;
    }
    std::string bits_of(const std::string& expression) const {
        return named("__$_as_ushort(") + named(expression) + ")";
    }
    // Every number, with others drawn beside it.
    std::vector<Triple> triples() const {
        std::mt19937 random(7);
        std::vector<Triple> list;
        for (const std::uint16_t a : all())
            list.push_back({a, static_cast<std::uint16_t>(random()), static_cast<std::uint16_t>(random()), 0});
        return list;
    }
    std::string with_three(const std::string& expression) const {
        return fmt::format("[&] {{ const {0} a = {1}(x.x), b = {1}(x.y), c = {1}(x.z); return {2}; }}()", format.type,
                           named("__ushort_as_$"), named(expression));
    }
    void expect_equal(const std::string& what, std::uint32_t got, std::uint32_t expected, const std::string& of) const {
        if (format.is_nan(got) && format.is_nan(expected)) return;
        ASSERT_EQ(got, expected) << what << " of " << of;
    }
};

TEST_P(NarrowFloat, FromFloatRoundsAsNamed) {
    std::vector<float> in;
    for (const std::uint16_t bits : all()) {
        const double here = format.value(bits);
        in.push_back(static_cast<float>(here));
        if (!format.is_finite(bits) || !format.is_finite(bits + 1U)) continue;
        const auto middle = static_cast<float>((here + format.value(bits + 1U)) / 2);
        for (const float next : {-1e38F, middle, 1e38F}) in.push_back(std::nextafter(middle, next));
        in.push_back(std::nextafter(static_cast<float>(here), 1e38F));
    }
    for (const float x :
         {65504.0F, 65519.99F, 65520.0F, 70000.0F, 1e-8F, 2.9802322e-8F, 2.9802326e-8F, 3.4e38F, 1e-45F})
        for (const float sign : {1.0F, -1.0F}) in.push_back(sign * x);
    Maps maps;
    for (const char* mode : kModes) maps.add("float", "unsigned short", bits_of(fmt::format("__float2$_{}(x)", mode)));
    maps.add("float", "unsigned short", bits_of("%(x)"));
    for (std::size_t m = 0; m < 5; ++m) {
        const auto out = maps.run<std::uint16_t>(m, in);
        for (std::size_t i = 0; i < in.size(); ++i)
            expect_equal(m < 4 ? kModes[m] : "constructor", out[i], format.round(in[i], static_cast<Mode>(m % 4)),
                         fmt::format("{}", in[i]));
    }
}

TEST_P(NarrowFloat, FromDoubleRoundsOnce) {
    std::vector<double> in;
    for (const std::uint16_t bits : all()) {
        in.push_back(format.value(bits));
        if (!format.is_finite(bits) || !format.is_finite(bits + 1U)) continue;
        const double middle = (format.value(bits) + format.value(bits + 1U)) / 2;
        for (const double next : {-HUGE_VAL, middle, HUGE_VAL}) in.push_back(std::nextafter(middle, next));
    }
    Maps maps;
    maps.add("double", "unsigned short", bits_of("__double2$(x)"));
    maps.add("double", "unsigned short", bits_of("%(x)"));
    for (std::size_t k = 0; k < 2; ++k) {
        const auto out = maps.run<std::uint16_t>(k, in);
        for (std::size_t i = 0; i < in.size(); ++i)
            expect_equal("double", out[i], format.round(in[i]), fmt::format("{}", in[i]));
    }
}

template <class T> std::vector<T> integers() {
    std::mt19937_64 random(3);
    std::vector<T> list;
    using Limits = std::numeric_limits<T>;
    for (int bit = 0; bit < Limits::digits; ++bit)
        for (int k = 0; k < 150; ++k) { // a few leading bits, then a tie or nearly
            const std::uint64_t top = 1ULL << bit, tie = bit > 8 ? 1ULL << (bit - 8) : 0,
                                fine = bit > 11 ? 1ULL << (bit - 11) : 0;
            const std::uint64_t value = (top | (random() % top & ~(tie - 1))) + (k % 3 == 0 ? tie : fine) + k % 5 - 2;
            const std::uint64_t within = value & static_cast<std::uint64_t>(Limits::max());
            list.push_back(static_cast<T>(within));
            if constexpr (std::is_signed_v<T>) list.push_back(static_cast<T>(-static_cast<std::int64_t>(within)));
        }
    for (const T edge : {T{0}, Limits::max(), Limits::min()}) list.push_back(edge);
    return list;
}

template <class T> void converts_integers(const Format& format, const std::string& word, const std::string& type) {
    const std::vector<T> in = integers<T>();
    const std::vector<std::uint16_t> narrow = all();
    Maps maps;
    for (const char* mode : kModes)
        maps.add(type, "unsigned short", fmt::format("__{0}_as_ushort(__{1}2{0}_{2}(x))", format.word, word, mode));
    for (const char* mode : kModes)
        maps.add("unsigned short", type, fmt::format("__{0}2{1}_{2}(__ushort_as_{0}(x))", format.word, word, mode));
    for (std::size_t m = 0; m < 4; ++m) {
        const auto out = maps.run<std::uint16_t>(m, in);
        for (std::size_t i = 0; i < in.size(); ++i) {
            const bool negative = in[i] < 0;
            const auto wide = static_cast<std::uint64_t>(in[i]);
            ASSERT_EQ(out[i], format.of_integer(negative, negative ? 0 - wide : wide, static_cast<Mode>(m)))
                << word << " " << kModes[m] << " of " << +in[i];
        }
        const auto back = maps.run<T>(4 + m, narrow);
        for (const std::uint16_t bits : narrow) {
            const double x = format.value(bits);
            const double whole = m == 0   ? std::nearbyint(x)
                                 : m == 1 ? std::trunc(x)
                                 : m == 2 ? std::ceil(x)
                                          : std::floor(x);
            using Limits = std::numeric_limits<T>;
            const T expected = std::isnan(x) ? (sizeof(T) == 8 ? static_cast<T>(1ULL << 63) : T{0})
                               : whole >= static_cast<double>(Limits::max()) ? Limits::max()
                               : whole <= static_cast<double>(Limits::min()) ? Limits::min()
                                                                             : static_cast<T>(whole);
            ASSERT_EQ(back[bits], expected) << "to " << word << " " << kModes[m] << " of " << x;
        }
    }
}

TEST_P(NarrowFloat, ToAndFromIntegersRoundsAsNamedAndSaturates) {
    converts_integers<short>(format, "short", "short");
    converts_integers<unsigned short>(format, "ushort", "unsigned short");
    converts_integers<int>(format, "int", "int");
    converts_integers<unsigned>(format, "uint", "unsigned");
    converts_integers<long long>(format, "ll", "long long");
    converts_integers<unsigned long long>(format, "ull", "unsigned long long");
}

// The number as an integer times 2^-unit; unit is large enough for all that are used.
__int128 scaled(const Format& format, std::uint32_t bits, int unit) {
    return static_cast<__int128>(std::ldexp(format.value(bits), unit));
}
std::uint32_t round_scaled(const Format& format, __int128 exact, int unit) {
    return format.round(exact < 0, static_cast<Wide>(exact < 0 ? -exact : exact), -unit);
}

TEST_P(NarrowFloat, ArithmeticRoundsOnce) {
    // bfloat16 within 2^-24 and 2^24, so that its exact results fit into 128 bits.
    const int unit = format.fraction_bits == 10 ? 24 : 31;
    std::vector<Triple> in;
    for (Triple t : triples()) {
        if (format.fraction_bits == 7)
            for (std::uint16_t* bits : {&t.a, &t.b, &t.c})
                *bits = static_cast<std::uint16_t>((*bits & 0x807F) | (103 + (*bits >> 7 & 0xFF) % 49) << 7);
        if (format.is_finite(t.a) && format.is_finite(t.b) && format.is_finite(t.c)) in.push_back(t);
    }
    // Products halfway between two numbers, and the least that decides.
    const std::uint16_t tiny = static_cast<std::uint16_t>(format.fraction_bits == 10 ? 1 : 103 << 7);
    for (std::uint32_t odd = 1; odd < (1U << format.fraction_bits); odd += 2)
        for (const int sign : {0, 0x8000}) {
            const int bias = format.bias() << format.fraction_bits;
            in.push_back({static_cast<std::uint16_t>(bias | odd),
                          static_cast<std::uint16_t>(bias + (1 << (format.fraction_bits - 1))),
                          static_cast<std::uint16_t>(tiny | sign), 0});
        }
    Maps maps;
    for (const char* e : {"a + b", "__hsub(a, b)", "a * b", "__hfma(a, b, c)", "a / b", "__hadd_sat(a, b)",
                          "__hfma_relu(a, b, c)", "__hfma_sat(a, b, c)"})
        maps.add("ushort4", "unsigned short", bits_of(with_three(e)));
    maps.add("ushort4", "unsigned short",
             bits_of(with_three("__low2$(__hfma2(__halves2$2(a, b), __halves2$2(b, a), __halves2$2(c, c)))")));
    std::vector<std::vector<std::uint16_t>> out;
    for (std::size_t k = 0; k < 9; ++k) out.push_back(maps.run<std::uint16_t>(k, in));
    const std::uint32_t one = static_cast<std::uint32_t>(format.bias() << format.fraction_bits);
    const auto saturated = [&](std::uint32_t bits) { return (bits & 0x8000) != 0 ? 0 : std::min(bits, one); };
    for (std::size_t i = 0; i < in.size(); ++i) {
        const auto [a, b, c, unused] = in[i];
        const std::string of = fmt::format("{} {} {}", format.value(a), format.value(b), format.value(c));
        const __int128 x = scaled(format, a, unit), y = scaled(format, b, unit), z = scaled(format, c, unit);
        const auto check = [&](std::size_t k, const char* what, std::uint32_t expected) {
            const bool zeros = (expected & 0x7FFF) == 0 && (out[k][i] & 0x7FFF) == 0; // whose sign integers do not have
            if (!zeros) expect_equal(what, out[k][i], expected, of);
        };
        check(0, "sum", round_scaled(format, x + y, unit));
        check(1, "difference", round_scaled(format, x - y, unit));
        check(2, "product", round_scaled(format, x * y, 2 * unit));
        const std::uint32_t fused = round_scaled(format, x * y + (z << unit), 2 * unit);
        check(3, "fma", fused);
        if (y != 0) {
            const Wide numerator = static_cast<Wide>(x < 0 ? -x : x), denominator = static_cast<Wide>(y < 0 ? -y : y);
            const Wide quotient = (numerator << 60) / denominator, rest = (numerator << 60) % denominator;
            check(4, "quotient", format.round((x < 0) != (y < 0), quotient << 1 | (rest != 0 ? 1 : 0), -61));
        }
        check(5, "saturated sum", saturated(round_scaled(format, x + y, unit)));
        check(6, "fma with relu", (fused & 0x8000) != 0 ? 0 : fused);
        check(7, "saturated fma", saturated(fused));
        check(8, "fma of a pair", fused);
        if (HasFatalFailure()) return;
    }
}

TEST_P(NarrowFloat, Compares) {
    std::vector<Triple> in = triples();
    for (const std::uint16_t a : all()) in.push_back({a, a, 0, 0});
    for (const std::uint32_t bits :
         {0x0000U, 0x8000U, 0x7FFFU, 0xFFFFU, format.infinity(), format.infinity() | 0x8000U})
        for (const std::uint32_t other : {0x0000U, 0x8000U, 0x7FFFU, format.infinity(), 0x0001U})
            in.push_back({static_cast<std::uint16_t>(bits), static_cast<std::uint16_t>(other), 0, 0});
    const std::vector<std::pair<const char*, std::function<bool(double, double)>>> relations = {
        {"eq", [](double a, double b) { return a == b; }}, {"ne", [](double a, double b) { return a < b || a > b; }},
        {"lt", [](double a, double b) { return a < b; }},  {"le", [](double a, double b) { return a <= b; }},
        {"gt", [](double a, double b) { return a > b; }},  {"ge", [](double a, double b) { return a >= b; }}};
    Maps maps;
    for (const auto& [name, holds] : relations) // the mask, then the answers as bits
        maps.add("ushort4", "unsigned long long",
                 with_three(fmt::format("__h{0}2_mask(__halves2$2(a, b), __halves2$2(b, b)) | "
                                        "(__h{0}(a, b) | __h{0}u(a, b) << 1 | "
                                        "__hb{0}u2(__halves2$2(a, b), __halves2$2(b, a)) << 2) * 0x100000000ull",
                                        name)));
    const std::size_t smaller = maps.add("ushort4", "unsigned short", bits_of(with_three("__hmin(a, b)")));
    maps.add("ushort4", "unsigned short", bits_of(with_three("__hmax(a, b)")));
    maps.add("ushort4", "unsigned short", bits_of(with_three("__hmin_nan(a, b)")));
    maps.add("ushort4", "unsigned short", bits_of(with_three("__hmax_nan(a, b)")));
    const std::size_t infinite = maps.add("ushort4", "int", with_three("__hisinf(a) + 4 * __hisnan(a)"));
    for (std::size_t r = 0; r < relations.size(); ++r) {
        const auto got = maps.run<std::uint64_t>(r, in);
        for (std::size_t i = 0; i < in.size(); ++i) {
            const double a = format.value(in[i].a), b = format.value(in[i].b);
            const bool nan = std::isnan(a) || std::isnan(b);
            const auto& holds = relations[r].second;
            const std::uint64_t mask = (holds(a, b) ? 0xFFFFU : 0U) | (holds(b, b) ? 0xFFFF0000U : 0U);
            const std::uint64_t answers = (holds(a, b) ? 1U : 0U) | (nan || holds(a, b) ? 2U : 0U) |
                                          (nan || (holds(a, b) && holds(b, a)) ? 4U : 0U);
            ASSERT_EQ(got[i], mask | answers << 32) << relations[r].first << " of " << a << ", " << b;
        }
    }
    std::vector<std::vector<std::uint16_t>> extremes;
    for (std::size_t k = 0; k < 4; ++k) extremes.push_back(maps.run<std::uint16_t>(smaller + k, in));
    const auto special = maps.run<int>(infinite, in);
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::uint32_t a = in[i].a, b = in[i].b;
        const double x = format.value(a), y = format.value(b);
        const bool nan = format.is_nan(a) || format.is_nan(b);
        const bool below = x < y || (x == y && (a & 0x8000) != 0); // -0 is below 0
        const std::uint32_t least = format.is_nan(a) ? b : format.is_nan(b) || below ? a : b;
        const std::uint32_t most = format.is_nan(a) ? b : format.is_nan(b) || !below ? a : b;
        const std::string of = fmt::format("{}, {}", x, y);
        expect_equal("min", extremes[0][i], least, of);
        expect_equal("max", extremes[1][i], x == y && (a & 0x8000) != 0 ? b : most, of);
        expect_equal("min_nan", extremes[2][i], nan ? 0x7FFF : least, of);
        expect_equal("max_nan", extremes[3][i], nan ? 0x7FFF : x == y && (a & 0x8000) != 0 ? b : most, of);
        ASSERT_EQ(special[i], (std::isinf(x) ? (x > 0 ? 1 : -1) : 0) + (std::isnan(x) ? 4 : 0)) << x;
        if (HasFatalFailure()) return;
    }
}

TEST_P(NarrowFloat, FunctionsAreTheNearestNumberOrTheNext) {
    const std::vector<std::pair<const char*, double (*)(double)>> functions = {
        {"sqrt", [](double x) { return std::sqrt(x); }},   {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
        {"rcp", [](double x) { return 1 / x; }},           {"exp", [](double x) { return std::exp(x); }},
        {"exp2", [](double x) { return std::exp2(x); }},   {"exp10", [](double x) { return std::pow(10.0, x); }},
        {"log", [](double x) { return std::log(x); }},     {"log2", [](double x) { return std::log2(x); }},
        {"log10", [](double x) { return std::log10(x); }}, {"sin", [](double x) { return std::sin(x); }},
        {"cos", [](double x) { return std::cos(x); }},     {"tanh", [](double x) { return std::tanh(x); }},
        {"floor", [](double x) { return std::floor(x); }}, {"ceil", [](double x) { return std::ceil(x); }},
        {"trunc", [](double x) { return std::trunc(x); }}, {"rint", [](double x) { return std::nearbyint(x); }}};
    Maps maps;
    for (const auto& [name, f] : functions) {
        maps.add("unsigned short", "unsigned short", bits_of(fmt::format("h{}(__ushort_as_$(x))", name)));
        maps.add("unsigned short", "unsigned short",
                 bits_of(fmt::format("__high2$(h2{}(__$2$2(__ushort_as_$(x))))", name)));
    }
    for (std::size_t k = 0; k < functions.size(); ++k) {
        const auto out = maps.run<std::uint16_t>(2 * k, all()), pair = maps.run<std::uint16_t>(2 * k + 1, all());
        EXPECT_EQ(out, pair) << functions[k].first;
        int other = 0;
        for (const std::uint16_t bits : all()) {
            const std::uint32_t expected = format.round(functions[k].second(format.value(bits)));
            if (format.is_nan(expected)) {
                ASSERT_TRUE(format.is_nan(out[bits])) << functions[k].first << " of " << format.value(bits);
                continue;
            }
            const int apart = static_cast<int>(out[bits]) - static_cast<int>(expected);
            other += apart != 0 ? 1 : 0;
            ASSERT_LE(std::abs(apart), 1)
                << functions[k].first << " of " << format.value(bits) << " is " << format.value(out[bits]);
        }
        EXPECT_LE(other, 8) << functions[k].first << ": not the nearest";
    }
}

TEST_P(NarrowFloat, AtomicsAddNumbers) {
    const auto in_blocks = [](RunOptions& o) {
        o.kernel.grid = "2";
        o.kernel.arguments = {{"out", "zeros:2"}};
    };
    const auto added = [&](const std::string& element, const std::string& statement) {
        return run_text(
            fmt::format("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n__global__ void k({}* out) {{\n  {};\n}}\n",
                        element, statement),
            in_blocks);
    };
    const Trace scalar = added(format.type, named("atomicAdd(out + 1, %(0.5f))"));
    EXPECT_THAT(kinds(scalar), IsEmpty());
    EXPECT_EQ(values<std::uint16_t>(scalar, "out").at(1), format.round(32.0));
    const Trace pair = added(format.pair, named("atomicAdd(out, @(%(1.0f), %(-3.0f)))"));
    EXPECT_EQ(values<std::uint16_t>(pair, "out").at(0), format.round(64.0));
    EXPECT_EQ(values<std::uint16_t>(pair, "out").at(1), format.round(-192.0));
    const Trace shared =
        added(format.type, named("__shared__ % s; if (threadIdx.x == 0) s = %(4.0f); __syncthreads();\n"
                                 "  const % old = atomicAdd(&s, %(1.0f)); __syncthreads();\n"
                                 "  if (threadIdx.x == 31) { out[0] = s; out[1] = old; }"));
    EXPECT_EQ(values<std::uint16_t>(shared, "out").at(0), format.round(36.0));
    EXPECT_EQ(values<std::uint16_t>(shared, "out").at(1), format.round(35.0));
    // Beyond 2^(fraction bits + 1), a sum stays where 1 is less than half of the last bit.
    const Trace stuck = added(format.type, named("for (int i = 0; i < 100; ++i) atomicAdd(out, %(1.0f));"));
    EXPECT_EQ(values<std::uint16_t>(stuck, "out").at(0), format.round(std::ldexp(1.0, format.fraction_bits + 1)));
}

TEST_P(NarrowFloat, ArgumentsAreNumbersOfTheType) {
    const Trace trace = run_text(fmt::format("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
                                             "__global__ void k(const {0}* in, float* out, {0} by) {{\n"
                                             "  out[threadIdx.x] = float(in[threadIdx.x] * by);\n}}\n",
                                             format.type),
                                 [](RunOptions& o) {
                                     o.n = 4;
                                     o.block = 4;
                                     o.kernel.arguments = {{"in", "iota"}, {"by", "2"}};
                                 });
    EXPECT_THAT(values<float>(trace, "out"), ElementsAre(0, 2, 4, 6));
}

INSTANTIATE_TEST_SUITE_P(Types, NarrowFloat, testing::Values(kHalf, kBfloat),
                         [](const auto& type) { return std::string(type.param.word); });

} // namespace
} // namespace warptree::tests
