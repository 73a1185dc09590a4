// Random and complex numbers, from headers that replace the toolkit's.
#include "tests/support/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <set>

namespace warptree::tests {
namespace {

const auto kMany = [](RunOptions& o) {
    o.block = 256;
    o.n = 4096;
    o.kernel.grid = "16";
};

template <class T> std::vector<T> drawn(const std::string& type, const std::string& call) {
    return values<T>(run_text("#include <curand_kernel.h>\n__global__ void k(" + type +
                                  "* out, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x; curandState s;\n"
                                  "  curand_init(1234, i, 0, &s);\n  if (i < n) out[i] = " +
                                  call + ";\n}",
                              kMany),
                     "out");
}

template <class T> std::pair<double, double> mean_and_variance(const std::vector<T>& list) {
    double sum = 0, squares = 0;
    for (const T v : list) {
        sum += static_cast<double>(v);
        squares += static_cast<double>(v) * static_cast<double>(v);
    }
    const double mean = sum / static_cast<double>(list.size());
    return {mean, squares / static_cast<double>(list.size()) - mean * mean};
}

TEST(Random, IsDistributedAsItsName) {
    const auto uniform = drawn<float>("float", "curand_uniform(&s)");
    for (const float v : uniform) {
        EXPECT_GT(v, 0.0F);
        EXPECT_LE(v, 1.0F);
    }
    const auto [mean, variance] = mean_and_variance(uniform); // of the 1024 outputs that are kept
    EXPECT_NEAR(mean, 0.5, 0.04);
    EXPECT_NEAR(variance, 1.0 / 12, 0.01);
    const auto normal = mean_and_variance(drawn<double>("double", "curand_normal_double(&s)"));
    EXPECT_NEAR(normal.first, 0, 0.15);
    EXPECT_NEAR(normal.second, 1, 0.2);
    EXPECT_NEAR(mean_and_variance(drawn<unsigned>("unsigned", "curand_poisson(&s, 7)")).first, 7, 0.4);
    EXPECT_NEAR(mean_and_variance(drawn<unsigned>("unsigned", "curand_poisson(&s, 200)")).second, 200, 40);
    const auto whole = drawn<unsigned>("unsigned", "curand(&s)");
    EXPECT_GT(std::set<unsigned>(whole.begin(), whole.end()).size(), whole.size() - 3) << "sequences differ";
}

TEST(Random, SkipsAsManyAsTheOffsetSays) {
    const auto out = values<unsigned>(
        run_text("#include <curand_kernel.h>\n__global__ void k(unsigned* out) {\n  curandStatePhilox4_32_10_t a, b;\n"
                 "  curand_init(5, threadIdx.x, 0, &a); curand_init(5, threadIdx.x, 3, &b);\n"
                 "  curand(&a); curand(&a); curand(&a);\n  out[threadIdx.x] = curand(&a) ^ curand(&b);\n}"),
        "out");
    EXPECT_THAT(out, testing::Each(0U));
}

TEST(Complex, ComputesAsTheStandardLibrary) {
    const auto out = values<double>(
        run_text("#include <cuComplex.h>\n__global__ void k(double* out) {\n"
                 "  cuDoubleComplex a = make_cuDoubleComplex(1.5, -2), b = make_cuDoubleComplex(0.25, 3);\n"
                 "  cuDoubleComplex p = cuCmul(a, b), q = cuCdiv(a, b), f = cuCfma(a, b, cuConj(a));\n"
                 "  if (threadIdx.x == 0) { out[0] = cuCreal(p); out[1] = cuCimag(p); out[2] = cuCreal(q); out[3] = "
                 "cuCimag(q); out[4] = cuCabs(a); out[5] = f.x; out[6] = f.y; }\n}"),
        "out");
    const std::complex<double> a(1.5, -2), b(0.25, 3), p = a * b, q = a / b, f = a * b + std::conj(a);
    const double expected[] = {p.real(), p.imag(), q.real(), q.imag(), std::abs(a), f.real(), f.imag()};
    for (std::size_t i = 0; i < 7; ++i) {
        EXPECT_NEAR(out[i], expected[i], 1e-12) << i;
    }
}

TEST(Vectors, ComputeByComponents) {
    const auto out = values<float>(
        run_text("#include <helper_math.h>\n__global__ void k(float* out) {\n  if (threadIdx.x != 0) return;\n"
                 "  const float3 a = make_float3(1.0f, -2.0f, 3.5f), b = make_float3(make_float2(4.0f, 0.5f), 2.0f);\n"
                 "  float3 c = a * b + 2.0f * (a - 1.0f) / b;\n  c -= make_float3(1.0f);\n  c *= 2.0f;\n"
                 "  out[0] = c.x; out[1] = c.y; out[2] = c.z; out[3] = dot(a, b);\n"
                 "  const float3 n = cross(a, b), r = reflect(a, make_float3(0.0f, 1.0f, 0.0f));\n"
                 "  out[4] = n.x; out[5] = n.y; out[6] = n.z; out[7] = r.y;\n"
                 "  const int4 i = max(min(make_int4(make_float4(-a, 9.9f)), 7 + make_int4(0)), -make_int4(2));\n"
                 "  out[8] = i.x; out[9] = i.y; out[10] = i.z; out[11] = i.w;\n"
                 "  const uint2 u = clamp(make_uint2(9u, 1u), 2u, 5u); out[12] = u.x * 10 + u.y;\n"
                 "  out[13] = length(make_float2(3.0f, 4.0f)) + length(normalize(a));\n"
                 "  out[14] = lerp(2.0f, 4.0f, 0.25f) + smoothstep(0.0f, 2.0f, 0.5f);\n"
                 "  const float4 f = fmaxf(fminf(make_float4(a, 1.0f), make_float4(2.0f)), make_float4(-1.0f));\n"
                 "  out[15] = f.x + 10 * f.y + 100 * f.z + 1000 * f.w;\n}"),
        "out");
    constexpr float kExpected[] = {6, -28, 17, 10, -5.75F, 12, 8.5F, 2, -1, 2, -2, 7, 52, 6, 2.65625F, 1191};
    ASSERT_GE(out.size(), std::size(kExpected));
    for (std::size_t i = 0; i < std::size(kExpected); ++i) {
        EXPECT_NEAR(out[i], kExpected[i], 1e-5F) << i;
    }
}

// As the host compiler reports it, at the limits of the range.
TEST(Overflow, IsToldOf64Bits) {
    const Trace trace = run_text(
        "__device__ const long long e[] = {0, 1, -1, 2, 3037000500LL, -3037000500LL, 1LL << 62, -(1LL << 62), "
        "0x7FFFFFFFFFFFFFFFLL, -0x7FFFFFFFFFFFFFFFLL - 1};\n__global__ void k(int* out) {\n"
        "  for (int i = 0; i < 10; ++i) for (int j = 0; j < 10; ++j) {\n"
        "    long long s; unsigned long long u, a = e[i], b = e[j]; int told = 0;\n"
        "    told |= __builtin_add_overflow(e[i], e[j], &s) << 0; told |= __builtin_sub_overflow(e[i], e[j], &s) << "
        "1;\n"
        "    told |= __builtin_mul_overflow(e[i], e[j], &s) << 2; told |= __builtin_add_overflow(a, b, &u) << 3;\n"
        "    told |= __builtin_sub_overflow(a, b, &u) << 4; told |= __builtin_mul_overflow(a, b, &u) << 5;\n"
        "    out[10 * i + j] = told; }\n}",
        [](RunOptions& o) { o.block = 1; });
    const long long e[] = {0, 1, -1, 2, 3037000500LL, -3037000500LL, 1LL << 62, -(1LL << 62), INT64_MAX, INT64_MIN};
    const auto out = values<int>(trace, "out");
    ASSERT_EQ(out.size(), 100U);
    for (std::size_t i = 0; i < 10; ++i) {
        for (std::size_t j = 0; j < 10; ++j) {
            long long s = 0;
            unsigned long long u = 0;
            const auto a = static_cast<unsigned long long>(e[i]), b = static_cast<unsigned long long>(e[j]);
            int expected = __builtin_add_overflow(e[i], e[j], &s) << 0;
            expected |= __builtin_sub_overflow(e[i], e[j], &s) << 1;
            expected |= __builtin_mul_overflow(e[i], e[j], &s) << 2;
            expected |= __builtin_add_overflow(a, b, &u) << 3;
            expected |= __builtin_sub_overflow(a, b, &u) << 4;
            expected |= __builtin_mul_overflow(a, b, &u) << 5;
            EXPECT_EQ(out[10 * i + j], expected) << e[i] << " and " << e[j];
        }
    }
}

TEST(Math, FloatIsTheNearestToTheExactValue) {
    const auto computed = [](const std::string& call) {
        return values<float>(
            run_text("__global__ void k(float* out, int n) {\n  const int i = blockIdx.x * blockDim.x + "
                     "threadIdx.x; const float x = (i - 512) * 0.03125f;\n  if (i < n) out[i] = " +
                         call + ";\n}",
                     [](RunOptions& o) {
                         o.block = 256;
                         o.n = 1024;
                         o.kernel.grid = "4";
                     }),
            "out");
    };
    const std::vector<std::pair<const char*, double (*)(double)>> functions = {
        {"expf(x)", [](double x) { return std::exp(x); }},
        {"__expf(x)", [](double x) { return std::exp(x); }},
        {"exp10f(x)", [](double x) { return std::pow(10.0, x); }},
        {"logf(x)", [](double x) { return std::log(x); }},
        {"sinf(x)", [](double x) { return std::sin(x); }},
        {"tanhf(x)", [](double x) { return std::tanh(x); }},
        {"erff(x)", [](double x) { return std::erf(x); }},
        {"powf(fabsf(x), 1.5f)", [](double x) { return std::pow(std::fabs(x), 1.5); }}};
    for (const auto& [call, exact] : functions) {
        const auto got = computed(call);
        for (int i = 0; i < 1024; ++i) {
            const auto expected = static_cast<float>(exact((i - 512) * 0.03125));
            EXPECT_TRUE(got[static_cast<std::size_t>(i)] == expected || std::isnan(expected)) << call << " " << i;
        }
    }
    const auto sine = computed("sinpif(x)"), cosine = computed("cospif(x)");
    for (int i = 0; i < 1024; i += 16) { // multiples of a half
        const int quarter = ((i / 16 - 32) % 4 + 4) % 4;
        EXPECT_EQ(sine[static_cast<std::size_t>(i)], quarter == 1 ? 1 : quarter == 3 ? -1 : 0) << i;
        EXPECT_EQ(cosine[static_cast<std::size_t>(i)], quarter == 0 ? 1 : quarter == 2 ? -1 : 0) << i;
    }
}

} // namespace
} // namespace warptree::tests
