// exact-sum and exact-dot compared bit for bit with sums in integers.
#include "app/run/kernel_run.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace warptree {
namespace {

// The exact sum of doubles, or of products of two, as 4608 bits in two's complement; bit 0 counts multiples of 2^-2400. Every
// addition carries.
class WideInteger {
  public:
    void add(double x) { add_product(x, 1); }

    void add_product(double x, double y) {
        const bool negative = std::signbit(x) != std::signbit(y), zero = x == 0 || y == 0;
        if (!std::isfinite(x) || !std::isfinite(y)) {
            const bool nan = std::isnan(x) || std::isnan(y) || zero;
            nan_ |= nan;
            plus_ |= !nan && !negative;
            minus_ |= !nan && negative;
            return;
        }
        not_minus_zero_ |= !zero || !negative;
        if (zero) {
            return;
        }
        int of_x = 0, of_y = 0;
        __extension__ using Product = unsigned __int128;
        const auto mantissa = [](double v, int& exponent) {
            return static_cast<Product>(std::ldexp(std::frexp(std::fabs(v), &exponent), 53));
        };
        const Product product = mantissa(x, of_x) * mantissa(y, of_y);
        const int at = of_x + of_y - 2 * 53 + kUnit;
        for (int bit = 0; bit < 2 * 53; ++bit) {
            if ((product >> bit & 1U) != 0) {
                negative ? borrow_from(at + bit) : carry_from(at + bit);
            }
        }
    }

    // Rounded once, to nearest, ties to even.
    template <class T> T rounded() const {
        if (nan_ || (plus_ && minus_)) {
            return std::numeric_limits<T>::quiet_NaN();
        }
        if (plus_ || minus_) {
            return plus_ ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
        }
        WideInteger size = *this;
        const bool negative = bit(kBits - 1);
        if (negative) {
            for (std::uint8_t& b : size.bits_) {
                b ^= 1U;
            }
            size.carry_from(0);
        }
        int top = kBits - 1;
        while (top >= 0 && !size.bit(top)) {
            --top;
        }
        if (top < 0) {
            return not_minus_zero_ ? T(0) : -T(0);
        }
        const int last = std::max(top - std::numeric_limits<T>::digits + 1,
                                  kUnit + std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits);
        std::uint64_t mantissa = 0;
        for (int b = top; b >= last; --b) {
            mantissa = mantissa << 1U | size.bits_[static_cast<std::size_t>(b)];
        }
        bool below = false;
        for (int b = 0; b < last - 1; ++b) {
            below |= size.bit(b);
        }
        if (size.bit(last - 1) && (below || mantissa % 2 != 0)) {
            ++mantissa;
        }
        const long double exact = std::ldexp(static_cast<long double>(mantissa), last - kUnit);
        const T value =
            exact > std::numeric_limits<T>::max() ? std::numeric_limits<T>::infinity() : static_cast<T>(exact);
        return negative ? -value : value;
    }

  private:
    static constexpr int kBits = 4608, kUnit = 2400;
    bool bit(int b) const { return bits_[static_cast<std::size_t>(b)] != 0; }
    void carry_from(int b) {
        for (; b < kBits && bit(b); ++b) {
            bits_[static_cast<std::size_t>(b)] = 0;
        }
        if (b < kBits) {
            bits_[static_cast<std::size_t>(b)] = 1;
        }
    }
    void borrow_from(int b) {
        for (; b < kBits && !bit(b); ++b) {
            bits_[static_cast<std::size_t>(b)] = 1;
        }
        if (b < kBits) {
            bits_[static_cast<std::size_t>(b)] = 0;
        }
    }
    std::vector<std::uint8_t> bits_ = std::vector<std::uint8_t>(kBits);
    bool nan_ = false, plus_ = false, minus_ = false, not_minus_zero_ = false;
};

constexpr unsigned kKinds = 15;

// Random input, of a kind that is easy, or hard, for a sum.
template <class T> std::vector<T> made(unsigned seed, std::size_t n) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr T kMost = std::numeric_limits<T>::max();
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::normal_distribution<double> normal;
    const auto any = [&] {
        const auto bits = static_cast<Bits>(random());
        T x;
        std::memcpy(&x, &bits, sizeof x);
        return std::isfinite(x) ? x : T(1);
    };
    std::vector<T> values(n);
    const unsigned kind = seed % kKinds;
    for (std::size_t i = 0; i < n; ++i) {
        T& x = values[i];
        switch (kind) {
        case 0: x = static_cast<T>(uniform(random)); break;
        case 1: x = static_cast<T>(normal(random)); break;
        case 2: x = any(); break;
        case 3: x = static_cast<T>(std::ldexp(uniform(random), static_cast<int>(random() % 200) - 100)); break;
        case 4:
            x = std::numeric_limits<T>::denorm_min() * static_cast<T>(random() % 1000) * (random() % 2 == 0 ? 1 : -1);
            break;
        case 5: x = i % 2 == 1 ? -values[i - 1] : any() / 4; break;
        case 6: x = kMost * static_cast<T>(uniform(random)); break;
        case 7: x = i % 3 == 0 ? kMost : i % 3 == 1 ? T(1) : -kMost; break;
        case 8: x = static_cast<T>(std::exp(6 * normal(random))); break;
        case 9: x = random() % 50 == 0 ? static_cast<T>(uniform(random)) : T(-0.0); break;
        case 10: x = i == n / 2 ? std::numeric_limits<T>::infinity() * (seed % 4 < 2 ? T(1) : T(-1)) : any(); break;
        case 11: x = i == n / 3 ? std::numeric_limits<T>::quiet_NaN() : any(); break;
        case 12: x = T(-0.0); break;
        case 13: // near within a thread, a warp or a block, far from the others
            x = static_cast<T>(std::ldexp(uniform(random), static_cast<int>(i * 12 / n) * 20 - 120));
            break;
        default: x = T(1) + (i % 7 == 0 ? std::numeric_limits<T>::epsilon() / 2 : T(0)); break; // ties
        }
    }
    if (kind == 5 || kind == 7) {
        std::shuffle(values.begin(), values.end(), random);
    }
    return values;
}

template <class T> std::string npy(const std::vector<T>& values) {
    std::string head = "{'descr': '<f" + std::to_string(sizeof(T)) + "', 'fortran_order': False, 'shape': (" +
                       std::to_string(values.size()) + ",), }";
    head.resize(117, ' ');
    head += '\n';
    std::string file =
        std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(head.size()) + std::string(1, '\0') + head;
    file.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    return file;
}

template <class T> std::string bits_of(T x) {
    if (std::isnan(x)) {
        return "nan";
    }
    char text[64];
    std::snprintf(text, sizeof text, "%a", static_cast<double>(x));
    return text;
}

class ExactSumKernel : public testing::Test {
  protected:
    template <class T> void expect_exact(unsigned seed, std::size_t n, const RunOptions& how = {}) {
        expect_exact_sum(made<T>(seed, n), seed, how);
    }

    template <class T> void expect_exact_sum(const std::vector<T>& values, unsigned seed, const RunOptions& how = {}) {
        WideInteger exact;
        for (const T x : values) {
            exact.add(static_cast<double>(x));
        }
        expect(exact.rounded<T>(), "exact_sum", {{"in", &values}}, seed, how);
    }

    template <class T> void expect_exact_dot(unsigned seed, std::size_t n, const RunOptions& how = {}) {
        std::vector<T> x = made<T>(seed, n), y = made<T>(seed / kKinds + 1000 * seed, n);
        if (seed % 5 == 0) { // products that cancel but for what rounding takes
            for (std::size_t i = 1; i < n; i += 2) {
                x[i] = -y[i - 1];
                y[i] = seed % 2 == 0 ? x[i - 1] : std::nextafter(x[i - 1], T(0));
            }
        }
        WideInteger exact;
        for (std::size_t i = 0; i < n; ++i) {
            exact.add_product(static_cast<double>(x[i]), static_cast<double>(y[i]));
        }
        expect(exact.rounded<T>(), "exact_dot", {{"x", &x}, {"y", &y}}, seed, how);
    }

    template <class T>
    void expect(T want, const std::string& kernel, const std::map<std::string, const std::vector<T>*>& arrays,
                unsigned seed, const RunOptions& how) {
        RunOptions o = how;
        o.kernel.file = (folder_.path() / (kernel + ".cu")).string();
        o.kernel.n_given = true;
        o.n = arrays.begin()->second->size();
        o.type = sizeof(T) == 4 ? ElementType::f32 : ElementType::f64;
        for (const auto& [name, values] : arrays) {
            folder_.write(name + ".npy", npy(*values));
            o.kernel.arguments[name] = (folder_.path() / (name + ".npy")).string();
        }
        o.window = {0, 0};
        RunControl control;
        const Trace t = runs::run_kernel_file(o, control);
        EXPECT_TRUE(t.completed());
        for (const Launch& l : t.launches) {
            EXPECT_TRUE(l.findings.empty()) << name(l.findings.front().kind);
        }
        EXPECT_EQ(bits_of(t.result.as<T>()), bits_of(want))
            << kernel << ", f" << 8 * sizeof(T) << ", seed " << seed << ", n " << o.n << ", block " << t.block();
    }

    // WARPTREE_EXACT_SUMS: how many; few by default, as each is a run.
    static unsigned cases() {
        const char* const asked = std::getenv("WARPTREE_EXACT_SUMS");
        return asked != nullptr ? static_cast<unsigned>(std::atoi(asked)) : tests::kFewCases ? 28 : 140;
    }

    void SetUp() override { // the kernels beside their input, as a file's arrays are read from its folder
        const std::filesystem::path kernels = tests::source_dir() / "kernels";
        for (const char* file : {"reduce/exact_sum.cu", "reduce/exact_dot.cu", "reduce/exact.cuh", "reduce/limbs.cuh",
                                 "reduce/fixed.cuh", "flagged.cuh", "reduction.cuh"}) {
            std::filesystem::copy(kernels / file, folder_.path() / std::filesystem::path(file).filename());
        }
    }

    tests::TemporaryFolder folder_;
};

TEST_F(ExactSumKernel, IsThatOfIntegersForAnyInput) {
    std::mt19937 random(1);
    for (unsigned seed = 0; seed < cases(); ++seed) {
        const std::size_t n = 1 + random() % (seed % 8 == 0 ? 20000 : 1500);
        seed % 2 == 0 ? expect_exact<float>(seed / 2, n) : expect_exact<double>(seed / 2, n);
    }
}

TEST_F(ExactSumKernel, IsThatOfProductsInIntegersForAnyInput) {
    std::mt19937 random(2);
    for (unsigned seed = 0; seed < cases(); ++seed) {
        const std::size_t n = 1 + random() % (seed % 8 == 0 ? 20000 : 1500);
        seed % 2 == 0 ? expect_exact_dot<float>(seed / 2, n) : expect_exact_dot<double>(seed / 2, n);
    }
}

TEST_F(ExactSumKernel, IsExactAtTheEndsOfTheRange) {
    for (const int exponent : {-1074, -556, -539, -538, -537}) { // of products, the least number's half and less
        const std::vector<double> x = {std::ldexp(-1.0, exponent)}, y = {std::ldexp(1.5, -537)};
        WideInteger exact;
        exact.add_product(x[0], y[0]);
        expect(exact.rounded<double>(), "exact_dot", {{"x", &x}, {"y", &y}}, 0, {});
    }
    // Two blocks, each with a sum of thousands of the largest number, of either sign, and one of them with the least.
    std::vector<float> large(1U << 14U);
    for (std::size_t i = 0; i < large.size(); ++i) {
        large[i] = std::numeric_limits<float>::max() * (i / 1024 % 2 == 0 ? 1.0F : -1.0F);
    }
    large[5] = std::numeric_limits<float>::denorm_min();
    large.back() /= 2;
    expect_exact_sum(large, 0);
}

// Each block's numbers are near one another, and far from those of other blocks, of which the second half has what cancels those
// of the first, but for the least. There are more blocks than a block has threads.
TEST_F(ExactSumKernel, AddsBlocksThatAreFarApart) {
    constexpr std::size_t kBlock = 32, kBlocks = 70, kVectors = 8;
    RunOptions how;
    how.block = kBlock;
    for (const int step : {0, 3}) {
        const auto of = [&]<class T>(T) {
            constexpr std::size_t kRow = kBlock * 16 / sizeof(T); // elements that a block loads at once
            std::vector<T> values = made<T>(0, kBlocks * kVectors * kRow);
            for (std::size_t i = 0; i < values.size(); ++i) {
                const std::size_t block = i / kRow % kBlocks, half = kBlocks / 2;
                values[i] = block > half ? -values[i - half * kRow]
                                         : std::ldexp(values[i], step * static_cast<int>(block % half) - 100);
            }
            expect_exact_sum(values, static_cast<unsigned>(step), how);
        };
        of(float{});
        of(double{});
    }
}

TEST_F(ExactSumKernel, HasTheSameBitsForEveryOrderBlockAndGrid) {
    for (const unsigned kind : {2U, 8U, 13U}) {
        for (const std::uint32_t block : {32U, 96U, 128U, 256U, 512U}) {
            for (const std::uint32_t blocks : {1U, 3U, 528U}) {
                RunOptions how;
                how.block = block;
                how.parameters["blocks"] = blocks;
                how.order = kWarpOrders[(block + blocks) % kWarpOrders.size()];
                how.seed = block;
                expect_exact<float>(kind, 7001, how);
                expect_exact<double>(kind, 3001, how);
                expect_exact_dot<float>(kind, 3001, how);
                expect_exact_dot<double>(kind, 2001, how);
            }
        }
        if (tests::kFewCases) {
            break;
        }
    }
    for (const WarpOrder order : kWarpOrders) {
        RunOptions how;
        how.order = order;
        expect_exact<float>(2, 5000, how);
        expect_exact<double>(8, 5000, how);
        expect_exact_dot<float>(2, 5000, how);
        expect_exact_dot<double>(8, 5000, how);
    }
}

} // namespace
} // namespace warptree
