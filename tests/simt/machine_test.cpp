// Vector accesses, bank conflicts, division; the same trace for any number of workers; budget, cancelling and printf.
#include "app/trace/io/file.hpp"
#include "tests/support/kernel_text.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <numeric>

namespace warptree::tests {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(VectorAccess, IsOneRequest) {
    for (const auto& [type, bytes] : {std::pair{"float2", 8U}, {"float4", 16U}, {"int4", 16U}, {"double2", 16U}}) {
        const std::string t = type;
        const Trace trace = run_text("__global__ void k(const " + t + "* in, " + t + "* out) {\n  __shared__ " + t +
                                     " s[32];\n  int t = threadIdx.x;\n  s[t] = in[t];\n  __syncwarp();\n  out[t] = "
                                     "s[31 - t];\n}");
        for (const AccessKind kind :
             {AccessKind::global_load, AccessKind::shared_store, AccessKind::shared_load, AccessKind::global_store}) {
            const auto list = requests(trace, kind);
            ASSERT_THAT(list, SizeIs(1)) << type;
            EXPECT_EQ(list[0].bytes, bytes) << type;
            if (is_shared(kind)) {
                EXPECT_EQ(list[0].ideal, bytes * 32 / 128) << type;
                EXPECT_EQ(list[0].wavefronts, list[0].ideal) << type;
            } else {
                EXPECT_EQ(list[0].sectors, bytes) << type; // 32 lanes of `bytes` each, 32 bytes per sector
            }
        }
    }
}

TEST(BankConflicts, AreThoseOfTheStride) {
    for (const unsigned stride : {1U, 2U, 3U, 4U, 8U, 16U, 32U, 33U}) {
        const Trace trace =
            run_text("__global__ void k(int* out) {\n  __shared__ int s[1100]; int t = threadIdx.x;\n"
                     "  s[t * " +
                     std::to_string(stride) + "] = t;\n  out[t] = s[t * " + std::to_string(stride) + "];\n}");
        const unsigned ways = std::gcd(stride, 32U);
        EXPECT_EQ(requests(trace, AccessKind::shared_store).at(0).wavefronts, ways) << stride;
        EXPECT_EQ(requests(trace, AccessKind::shared_load).at(0).wavefronts, ways) << stride;
    }
}

// Lanes divide by the same number, a power of two or not, or by different ones; with all lanes active, or some.
template <class T> void divides_as_the_host(const std::string& type) {
    using U = std::make_unsigned_t<T>;
    constexpr unsigned kTop = 8 * sizeof(T) - 1;
    for (const T divisor : {T(1), T(2), T(3), T(32), T(U(1) << (kTop - 1)), T(U(1) << kTop), T(-1), T(-4), T(7)}) {
        for (const bool each : {false, true}) {
            const Trace trace = run_text("__global__ void k(" + type + "* q, " + type +
                                         "* r) {\n  const int t = threadIdx.x;\n  volatile " + type + " d = (" + type +
                                         ")" + std::to_string(static_cast<unsigned long long>(U(divisor))) + "ull" +
                                         (each ? " + t % 3" : "") + ";\n  const " + type + " a = (" + type +
                                         ")((t - 16) * 0x9E3779B97F4A7C15ull >> (t % 8));\n  q[t] = r[t] = 0;\n"
                                         "  if (t % 5 != 1 && d != 0) {\n    q[t] = a / d;\n    r[t] = a % d;\n  }\n}");
            const std::vector<T> q = values<T>(trace, "q"), r = values<T>(trace, "r");
            ASSERT_THAT(q, SizeIs(32));
            for (int t = 0; t < 32; ++t) {
                const T a =
                    static_cast<T>((static_cast<unsigned long long>(t) - 16) * 0x9E3779B97F4A7C15ULL >> (t % 8));
                const T d = static_cast<T>(U(divisor) + (each ? U(t % 3) : U(0)));
                const bool divides = t % 5 != 1 && d != 0 && !(std::is_signed_v<T> && d == T(-1));
                if (divides) {
                    EXPECT_EQ(q[t], static_cast<T>(a / d)) << type << " " << a << " / " << d;
                    EXPECT_EQ(r[t], static_cast<T>(a % d)) << type << " " << a << " % " << d;
                } else if (t % 5 != 1 && d != 0) { // undefined on the host: the smallest number / -1
                    EXPECT_EQ(U(q[t]), U(0) - U(a)) << type << " " << a;
                    EXPECT_EQ(r[t], 0) << type << " " << a;
                } else {
                    EXPECT_EQ(q[t], 0);
                    EXPECT_EQ(r[t], 0);
                }
            }
        }
    }
}

TEST(Division, IsAsTheHostDivides) {
    divides_as_the_host<int>("int");
    divides_as_the_host<unsigned>("unsigned");
    divides_as_the_host<long long>("long long");
    divides_as_the_host<unsigned long long>("unsigned long long");
}

std::string saved(const Trace& trace) {
    const TemporaryFolder folder;
    save(trace, folder.path() / "run.wtrace");
    std::ifstream in(folder.path() / "run.wtrace", std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

constexpr const char* kIndependent =
    "// expect: sum\n__global__ void k(const float* in, float* out, int n) {\n  __shared__ float s[128];\n"
    "  int t = threadIdx.x, i = blockIdx.x * 128 + t;\n  s[t] = i < n ? in[i] : 0;\n"
    "  for (int d = 64; d > 0; d /= 2) { __syncthreads(); if (t < d) s[t] += s[t + d]; }\n"
    "  if (t == 0) out[blockIdx.x] = s[0];\n}";
constexpr const char* kDependent =
    "__global__ void k(const int* in, int* bins, int n) {\n  int i = blockIdx.x * 128 + threadIdx.x;\n"
    "  if (i < n) atomicAdd(&bins[in[i] & 15], 1);\n  printf(\"%d \", blockIdx.x);\n}";

TEST(Workers, MakeTheSameTraceByteForByte) {
    for (const char* const text : {kIndependent, kDependent}) {
        for (const WarpOrder order : {WarpOrder::in_order, WarpOrder::reverse, WarpOrder::random}) {
            std::vector<std::string> files;
            for (const unsigned workers : {1U, 2U, 4U, 2U}) {
                Trace trace = run_text(text, [&](RunOptions& o) {
                    o.block = 128;
                    o.n = 5000;
                    o.kernel.grid = "40";
                    o.order = order;
                    o.workers = workers;
                });
                trace.options.workers = 0; // the only member that may differ
                files.push_back(saved(trace));
            }
            EXPECT_EQ(files[0], files[1]) << name(order);
            EXPECT_EQ(files[0], files[2]) << name(order);
            EXPECT_EQ(files[1], files[3]) << name(order);
        }
    }
}

TEST(Budget, EndsWhatNeverEndsAndNothingElse) {
    const char* const text =
        "__global__ void k(int* out, int n) {\n  int v = 0;\n  for (int turn = 0; turn < n; ++turn) {\n"
        "    v += turn;\n    out[threadIdx.x] = v;\n  }\n}";
    const auto run = [&](std::uint64_t n) {
        return run_text(text, [&](RunOptions& o) {
            o.n = n;
            o.kernel.most_instructions = 100000;
        });
    };
    EXPECT_TRUE(run(1000).completed());
    const Trace trace = run(1000000);
    EXPECT_FALSE(trace.completed());
    const Finding* const f = first_of(trace, FindingKind::endless);
    ASSERT_NE(f, nullptr);
    EXPECT_THAT(f->text, testing::StartsWith("turn = "));
    EXPECT_GE(f->line.line(), 3U);
    EXPECT_LE(f->line.line(), 5U);
}

TEST(Cancel, EndsARunThatTakesLong) {
    RunOptions o;
    o.kernel.text = "__global__ void k(int* out) { for (unsigned i = 1; i; i += 2) out[threadIdx.x] = i; }";
    o.kernel.n_given = true;
    o.kernel.grid = "64";
    RunControl control;
    control.cancel = true;
    EXPECT_THROW(runs::run_kernel_file(o, control), Cancelled);
}

TEST(Printf, WritesInTheOrderOfBlocks) {
    const Trace trace =
        run_text("#include <cstdio>\n__global__ void k(const float* in, int n) {\n"
                 "  if (threadIdx.x < 2) printf(\"%d.%u %5.2f %s %c %lld %%|\", blockIdx.x, threadIdx.x, "
                 "in[threadIdx.x], \"word\", 'x', 1LL << 40);\n}",
                 [](RunOptions& o) { o.kernel.grid = "2"; });
    EXPECT_EQ(trace.launches.front().printed, "0.0  0.00 word x 1099511627776 %|0.1  1.00 word x 1099511627776 %|"
                                              "1.0  0.00 word x 1099511627776 %|1.1  1.00 word x 1099511627776 %|");
}

} // namespace
} // namespace warptree::tests
