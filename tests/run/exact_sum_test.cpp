// exact-sum compared bit for bit with a sum in integers.
#include "app/run/kernel_run.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace warptree {
namespace {

// The exact sum of doubles, as 2304 bits in two's complement; bit 0 counts multiples of 2^-1200. Every addition carries.
class WideInteger {
  public:
    void add(double x) {
        nan_ |= std::isnan(x);
        plus_ |= std::isinf(x) && x > 0;
        minus_ |= std::isinf(x) && x < 0;
        not_minus_zero_ |= x != 0 || !std::signbit(x);
        if (!std::isfinite(x) || x == 0) {
            return;
        }
        int exponent = 0;
        const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::fabs(x), &exponent), 53));
        const int at = exponent - 53 + kUnit;
        for (int bit = 0; bit < 53; ++bit) {
            if ((mantissa >> bit & 1U) != 0) {
                x > 0 ? carry_from(at + bit) : borrow_from(at + bit);
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
    static constexpr int kBits = 2304, kUnit = 1200;
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

constexpr unsigned kKinds = 14;

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
        const std::vector<T> values = made<T>(seed, n);
        WideInteger exact;
        for (const T x : values) {
            exact.add(static_cast<double>(x));
        }
        folder_.write("in.npy", npy(values));
        RunOptions o = how;
        o.strategy = "exact-sum";
        o.kernel.file = (tests::source_dir() / "kernels/reduce/exact_sum.cu").string();
        o.kernel.n_given = o.kernel.input_given = true;
        o.n = n;
        o.type = sizeof(T) == 4 ? ElementType::f32 : ElementType::f64;
        o.input = InputKind::file;
        o.input_file = (folder_.path() / "in.npy").string();
        o.window = {0, 0};
        RunControl control;
        const Trace t = runs::run_kernel_file(o, control);
        EXPECT_TRUE(t.completed());
        for (const Launch& l : t.launches) {
            EXPECT_TRUE(l.findings.empty()) << name(l.findings.front().kind);
        }
        EXPECT_EQ(bits_of(t.result.as<T>()), bits_of(exact.rounded<T>()))
            << "f" << 8 * sizeof(T) << ", seed " << seed << ", n " << n << ", block " << t.block();
    }

    // WARPTREE_EXACT_SUMS: how many; few by default, as each is a run.
    static unsigned cases() {
        const char* const asked = std::getenv("WARPTREE_EXACT_SUMS");
        return asked != nullptr ? static_cast<unsigned>(std::atoi(asked)) : tests::kFewCases ? 28 : 140;
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

TEST_F(ExactSumKernel, HasTheSameBitsForEveryOrderBlockAndGrid) {
    for (const unsigned kind : {2U, 8U}) {
        for (const std::uint32_t block : {32U, 96U, 128U, 256U, 512U}) {
            for (const std::uint32_t blocks : {1U, 3U, 528U}) {
                RunOptions how;
                how.block = block;
                how.parameters["blocks"] = blocks;
                how.order = kWarpOrders[(block + blocks) % kWarpOrders.size()];
                how.seed = block;
                expect_exact<float>(kind, 7001, how);
                expect_exact<double>(kind, 3001, how);
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
    }
}

} // namespace
} // namespace warptree
