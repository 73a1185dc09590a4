// Kernel files traced on the local GPU, compared with the interpreter.
#include "app/catalogue/catalogue.hpp"
#include "app/gpu/device.hpp"
#include "app/gpu/driver.hpp"
#include "app/run/kernel_run.hpp"
#include "app/trace/explain/values.hpp"
#include "tests/support/paths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace warptree {
namespace {

class TracedGpu : public testing::Test {
  protected:
    void SetUp() override {
        if (!gpu::usable()) {
            GTEST_SKIP() << gpu::why_not();
        }
    }
};

Trace traced(RunOptions o, Backend backend) {
    o.backend = backend;
    RunControl control;
    return runs::run_kernel_file(o, control);
}

// The first launch that differs, and how; empty: none does.
std::string difference(const Trace& a, const Trace& b) {
    if (a.launches.size() != b.launches.size()) {
        return "launches";
    }
    for (std::size_t i = 0; i < a.launches.size(); ++i) {
        const Launch &x = a.launches[i], &y = b.launches[i];
        const std::string at = " of launch " + std::to_string(i);
        if (x.findings != y.findings) {
            return "findings" + at + (y.findings.empty() ? "" : ": " + y.findings.front().text);
        }
        if (!(x.totals() == y.totals())) {
            return "totals" + at;
        }
        if (!(x.steps == y.steps)) {
            return "steps" + at;
        }
        if (!(x == y)) {
            return "something" + at;
        }
    }
    return a.outputs == b.outputs ? a.pass == b.pass ? "" : "pass" : "outputs";
}

TEST_F(TracedGpu, EqualsTheInterpreter) {
    const catalogue::Catalogue all(tests::source_dir() / "kernels", {});
    unsigned equal = 0, ordered = 0;
    for (const catalogue::Entry& e : all.entries()) {
        if (e.header.racy || e.header.deadlocks) {
            continue;
        }
        RunOptions o;
        o.kernel.file = e.path.string();
        o.kernel.n_given = true;
        o.n = e.id == "tiled-matmul" ? 40 : 1000;
        try {
            const Trace cpu = traced(o, Backend::cpu), on_gpu = traced(o, Backend::cuda);
            EXPECT_EQ(on_gpu.options.backend, Backend::cuda) << e.id;
            EXPECT_EQ(on_gpu.pass, cpu.pass) << e.id;
            const std::string what = difference(cpu, on_gpu);
            const bool atomics = std::any_of(cpu.launches.begin(), cpu.launches.end(),
                                             [](const Launch& l) { return l.totals().atomics != 0; });
            const bool talks = atomics || e.id.find("lookback") != std::string::npos || e.id == "vectorized";
            std::printf("%-28s %s\n", e.id.c_str(), what.empty() ? "equal" : what.c_str());
            if (talks) { // the order of atomics and blocks depends on the GPU
                ++ordered;
            } else {
                EXPECT_EQ(what, "") << e.id;
                ++equal;
            }
            for (const Launch& l : on_gpu.launches) {
                for (const Finding& f : l.findings) {
                    EXPECT_NE(f.kind, FindingKind::differs_on_gpu) << e.id << ": " << f.text;
                }
            }
        } catch (const OptionError& error) {
            std::printf("%-28s %s\n", e.id.c_str(), error.what());
        }
    }
    EXPECT_GE(equal, 25U);
    EXPECT_GE(ordered, 3U);
}

// Loads, stores and atomics in the shared memory of every block of a cluster, the thread's own included.
TEST_F(TracedGpu, ClustersEqualTheInterpreter) {
    if (gpu::facts().compute_major < 9) {
        GTEST_SKIP() << "clusters need compute capability 9.0";
    }
    const std::string head = "#include <cooperative_groups.h>\n"
                             "__global__ void __cluster_dims__(4) k(const int* in, int* out) {\n"
                             "    auto cluster = cooperative_groups::this_cluster();\n"
                             "    __shared__ int s[32];\n"
                             "    const int t = threadIdx.x, r = cluster.block_rank(), i = blockIdx.x * 32 + t;\n";
    for (const char* body :
         {"    s[t] = in[i]; cluster.sync();\n"
          "    int sum = 0; for (int k = 0; k < 4; ++k) sum += cluster.map_shared_rank(s, k)[31 - t];\n"
          "    out[i] = sum; cluster.sync();\n}\n",
          "    s[t] = 0; cluster.sync();\n    cluster.map_shared_rank(s, t % 4)[t / 4 + 8 * r] = in[i]; "
          "cluster.sync();\n"
          "    out[i] = s[t];\n}\n",
          "    s[t] = 0; cluster.barrier_arrive(); const int mine = in[i]; cluster.barrier_wait();\n"
          "    if (t % 4 == r) atomicAdd(cluster.map_shared_rank(&s[t], (r + 1) % 4), mine); cluster.sync();\n"
          "    out[i] = s[t] + cluster.query_shared_rank(&s[0]);\n}\n"}) {
        RunOptions o;
        const std::string path = testing::TempDir() + "cluster.cu";
        std::ofstream(path) << head << body;
        o.kernel.file = path;
        o.kernel.grid = "8";
        o.kernel.block = "32";
        o.kernel.n_given = true;
        o.n = 256;
        const Trace cpu = traced(o, Backend::cpu), on_gpu = traced(o, Backend::cuda);
        EXPECT_EQ(on_gpu.options.backend, Backend::cuda) << body;
        EXPECT_TRUE(cpu.launches.front().findings.empty()) << body;
        EXPECT_EQ(difference(cpu, on_gpu), "") << body;
    }
}

// A kernel that fails in the interpreter is not run on the GPU.
TEST_F(TracedGpu, IsRefusedWhereTheInterpreterFindsIt) {
    const std::string path = testing::TempDir() + "outside.cu";
    std::ofstream(path) << "__global__ void k(const int* in, int* out) {\n"
                           "    __shared__ int s[16];\n"
                           "    s[threadIdx.x] = in[threadIdx.x];\n"
                           "    out[threadIdx.x] = s[threadIdx.x];\n"
                           "}\n";
    RunOptions o;
    o.kernel.file = path;
    o.kernel.block = "64";
    const Trace trace = traced(o, Backend::cuda);
    EXPECT_EQ(trace.options.backend, Backend::cpu);
    EXPECT_FALSE(trace.pass);
}

// Float functions are computed in double on the GPU, by the C library in the interpreter: at most the last bit or two
// differ, and what follows from them.
TEST_F(TracedGpu, MathEqualsTheInterpreterButForTheLastBits) {
    struct Case {
        const char* name;
        const char* text;
        double tolerance; // relative
    };
    const Case cases[] = {
        {"softmax",
         "__global__ void k(const float* in, float* out, int n) {\n"
         "    __shared__ float most[256], sum[256];\n"
         "    const int t = threadIdx.x;\n"
         "    most[t] = in[t] * 0.01f; __syncthreads();\n"
         "    for (int s = 128; s > 0; s >>= 1) { if (t < s) most[t] = fmaxf(most[t], most[t + s]); __syncthreads(); "
         "}\n"
         "    const float e = expf(in[t] * 0.01f - most[0]);\n"
         "    sum[t] = e; __syncthreads();\n"
         "    for (int s = 128; s > 0; s >>= 1) { if (t < s) sum[t] += sum[t + s]; __syncthreads(); }\n"
         "    out[t] = e / sum[0];\n}\n",
         1e-6},
        {"layer norm",
         "__global__ void k(const float* in, float* out, int n) {\n"
         "    __shared__ float s[256], q[256];\n"
         "    const int t = threadIdx.x;\n"
         "    s[t] = in[t]; q[t] = in[t] * in[t]; __syncthreads();\n"
         "    for (int d = 128; d > 0; d >>= 1) { if (t < d) { s[t] += s[t + d]; q[t] += q[t + d]; } __syncthreads(); "
         "}\n"
         "    const float mean = s[0] / 256, variance = q[0] / 256 - mean * mean;\n"
         "    out[t] = (in[t] - mean) * rsqrtf(variance + 1e-5f);\n}\n",
         1e-6},
        {"sigmoid and gelu",
         "__global__ void k(const float* in, float* out, int n) {\n"
         "    const int t = threadIdx.x;\n"
         "    const float x = (in[t] - 128) * 0.05f;\n"
         "    out[t] = 1 / (1 + __expf(-x)) + 0.5f * x * (1 + erff(x * 0.70710678f)) + tanhf(x);\n}\n",
         1e-5},
        {"double",
         "__global__ void k(const float* in, double* out, int n) {\n"
         "    const int t = threadIdx.x;\n"
         "    const double x = (in[t] - 100) * 0.01;\n"
         "    out[t] = sin(x) + cos(x * 1000) + pow(fabs(x) + 1, 2.5) + log1p(fabs(x)) + tgamma(3 + x) + atan2(x, "
         "2.0);\n}\n",
         1e-11},
        {"half",
         "#include <cuda_fp16.h>\n__global__ void k(const float* in, __half* out, int n) {\n"
         "    const int t = threadIdx.x;\n"
         "    const __half x = __float2half_rz(in[t] * 0.03f);\n"
         "    out[t] = __hfma(x, hsin(x), __hadd_sat(x, __half(0.1f)));\n}\n",
         1e-3},
        {"bfloat16",
         "#include <cuda_bf16.h>\n__global__ void k(const float* in, float* out, int n) {\n"
         "    __shared__ __nv_bfloat16 total; if (threadIdx.x == 0) total = __nv_bfloat16(0.0f);\n"
         "    __syncthreads();\n"
         "    if (threadIdx.x < 8) atomicAdd(&total, __float2bfloat16(1.0f));\n"
         "    __syncthreads();\n"
         "    out[threadIdx.x] = __bfloat162float(__hfma(__float2bfloat16_rd(in[threadIdx.x]), total, "
         "hsqrt(total)));\n}\n",
         0},
    };
    for (const Case& c : cases) {
        const std::string path = testing::TempDir() + "math.cu";
        std::ofstream(path)
            << "// launch: k<<<1, 256>>>(in, out, 256)\n// arg: out = zeros:256\n// arg: in = iota:256\n"
            << c.text;
        RunOptions o;
        o.kernel.file = path;
        const Trace cpu = traced(o, Backend::cpu), on_gpu = traced(o, Backend::cuda);
        EXPECT_EQ(on_gpu.options.backend, Backend::cuda) << c.name;
        for (const Launch& l : on_gpu.launches) {
            for (const Finding& f : l.findings) {
                ADD_FAILURE() << c.name << ": " << name(f.kind) << " " << f.text;
            }
        }
        ASSERT_EQ(cpu.outputs.size(), on_gpu.outputs.size()) << c.name;
        const KernelOutput &a = cpu.outputs.front(), &b = on_gpu.outputs.front();
        ASSERT_EQ(a.values.size(), b.values.size()) << c.name;
        std::size_t equal = 0;
        for (std::size_t i = 0; i < a.values.size(); ++i) {
            const double x = visit_value(a.type, a.values[i], [](auto v) { return static_cast<double>(v); });
            const double y = visit_value(b.type, b.values[i], [](auto v) { return static_cast<double>(v); });
            EXPECT_LE(std::fabs(x - y), c.tolerance * std::fabs(x)) << c.name << " " << i;
            equal += a.values[i] == b.values[i] ? 1 : 0;
        }
        std::printf("%-28s %zu of %zu values equal\n", c.name, equal, a.values.size());
    }
}

} // namespace
} // namespace warptree
