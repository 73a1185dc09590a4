// PTX of logging kernels, checked with ptxas if installed; no GPU needed.
#include "app/catalogue/catalogue.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/run/kernel_source.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/ptxas.hpp"
#include "tests/support/sanitizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree {
namespace {

using testing::HasSubstr;
using testing::Not;
using tests::ptxas;

compile::Program compiled(const std::string& text, compile::Code code, const std::string& architecture = "sm_90") {
    compile::Request request;
    request.name = "mine.cu";
    request.text = text;
    request.code = code;
    request.architecture = architecture;
    return runs::compiler().compile(request);
}

TEST(TracedCode, IsPtxForTheDevice) {
    const char* const text = "__global__ void k(const float* in, float* out, int n) {\n"
                             "    __shared__ float s[64]; extern __shared__ float more[];\n"
                             "    s[threadIdx.x] = in[threadIdx.x]; more[threadIdx.x] = 1;\n"
                             "    __syncthreads();\n"
                             "    out[threadIdx.x] = s[63 - threadIdx.x] + __shfl_xor_sync(~0u, s[threadIdx.x], 1);\n"
                             "    atomicAdd(out, more[threadIdx.x]);\n"
                             "}\n";
    for (const char* architecture : {"sm_75", "sm_80", "sm_86", "sm_90"}) {
        for (const compile::Code code : {compile::Code::traced, compile::Code::optimised}) {
            const compile::Program program = compiled(text, code, architecture);
            EXPECT_EQ(program.code.problem, "");
            EXPECT_NE(program.code.ptx.find(".target " + std::string(architecture)), std::string::npos);
            EXPECT_NE(program.code.ptx.find(".entry " + program.kernels.front().symbol), std::string::npos);
            EXPECT_EQ(program.code.ptx.find("warptree_log") != std::string::npos, code == compile::Code::traced);
            if (!ptxas().empty()) {
                EXPECT_EQ(tests::refused_by_ptxas(program.code.ptx, architecture), "") << architecture;
            }
        }
    }
    EXPECT_TRUE(compiled(text, compile::Code::none).code.ptx.empty());
}

TEST(TracedCode, SaysWhatItHasNoCodeFor) {
    const compile::Program program =
        compiled("__global__ void k(float* out) { out[0] = erfinvf(out[1]); }\n", compile::Code::traced);
    EXPECT_EQ(program.code.ptx, "");
    EXPECT_NE(program.code.problem.find("erfinvf"), std::string::npos) << program.code.problem;
    const compile::Program fast =
        compiled("__global__ void k(float* out) { out[0] = sinf(out[1]); }\n", compile::Code::optimised);
    EXPECT_EQ(fast.code.ptx, "") << "slower than libdevice, which would be measured";
}

void expect_ptx(const std::string& text) {
    for (const char* architecture : {"sm_75", "sm_80", "sm_86", "sm_90"}) {
        const compile::Program program = compiled(text, compile::Code::traced, architecture);
        EXPECT_EQ(program.code.problem, "") << text;
        EXPECT_NE(program.code.ptx, "") << text;
        if (!ptxas().empty()) {
            EXPECT_EQ(tests::refused_by_ptxas(program.code.ptx, architecture), "") << architecture << text;
        }
    }
}

TEST(TracedCode, HasMathFunctions) {
    std::string text = "__global__ void k(float* f, double* d) {\n";
    for (const char* name : {"exp",   "exp2",  "exp10", "expm1", "log",  "log2",  "log10",   "log1p",  "sin",   "cos",
                             "tan",   "sinpi", "cospi", "asin",  "acos", "atan",  "sinh",    "cosh",   "tanh",  "asinh",
                             "acosh", "atanh", "erf",   "erfc",  "cbrt", "rsqrt", "normcdf", "tgamma", "lgamma"}) {
        text += std::string("  *f += ") + name + "f(*f); *d += " + name + "(*d);\n";
    }
    for (const char* name : {"pow", "atan2", "fmod", "remainder", "hypot", "nextafter"}) {
        text += std::string("  *f += ") + name + "f(*f, 2.f); *d += " + name + "(*d, 2.);\n";
    }
    expect_ptx(text + "  *f += ldexpf(*f, 3) + ldexp(*d, 4) + __expf(*f) + __powf(*f, 2.f) + __saturatef(*f);\n}\n");
}

// As in the interpreter, though Clang allows them to be one instruction.
TEST(TracedCode, RoundsProductsAndSumsSeparately) {
    const std::string text =
        "__global__ void k(float* f, double* d) { f[0] = f[1] * f[2] + f[3]; d[0] = d[1] - d[2] * d[3]; }\n";
    EXPECT_THAT(compiled(text, compile::Code::traced).code.ptx, Not(HasSubstr("fma")));
    EXPECT_THAT(compiled(text, compile::Code::optimised).code.ptx, HasSubstr("fma")); // the code that is timed
}

TEST(TracedCode, HasNumbersOf16Bits) {
    for (const char* type : {"__half", "__nv_bfloat16"}) {
        expect_ptx(
            std::string(
                "#include <cuda_bf16.h>\ntemplate <class T> __global__ void k(T* a, float* f, double* d, "
                "long long* l) {\n  __shared__ T s; s = a[1]; __syncthreads();\n"
                "  atomicAdd(&s, T(*f)); a[0] = a[1] + a[2] * hexp(a[3]); atomicAdd(a, a[4]);\n"
                "  a[5] = __hfma_relu(a[6], T(*d), T(*l)); *l = (long long)a[7]; a[8] = __hmin_nan(a[9], a[1]);\n"
                "  a[9] = __hdiv(a[1], a[2]); a[10] = __habs(a[3]); a[11] = T(*f) < s ? s : a[4];\n}\n"
                "template __global__ void k<") +
            type + ">(" + type + "*, float*, double*, long long*);\n");
    }
}

// Only a single atomic instruction on global memory with one result is accepted.
TEST(TracedCode, TakesAtomicsInAssembly) {
    const auto problem = [](const char* assembly) {
        return compiled(std::string("__global__ void k(unsigned* out) {\n  unsigned old;\n  asm volatile(\"") +
                            assembly + "\" : \"=r\"(old) : \"l\"(out), \"r\"(7) : \"memory\");\n  out[1] = old;\n}\n",
                        compile::Code::traced)
            .code.problem;
    };
    EXPECT_EQ(problem("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"), "");
    EXPECT_NE(problem("atom.shared.inc.u32 %0, [%1], %2;"), "");
    EXPECT_NE(problem("atom.global.inc.u32 %0, [%1+4], %2;"), "");
    EXPECT_NE(problem("atom.global.inc.u32 %0, [%1], %2; atom.global.inc.u32 %0, [%1], %2;"), "");
}

TEST(TracedCode, HasClustersWhereTheDeviceDoes) {
    const char* const text = "#include <cooperative_groups.h>\n"
                             "__global__ void __cluster_dims__(4, 2) k(int* out) {\n"
                             "    __shared__ int s; auto cluster = cooperative_groups::this_cluster();\n"
                             "    s = threadIdx.x; cluster.sync();\n"
                             "    atomicAdd(cluster.map_shared_rank(&s, 3), cluster.query_shared_rank(&s));\n"
                             "    cluster.sync(); *out = s;\n}\n";
    for (const compile::Code code : {compile::Code::traced, compile::Code::optimised, compile::Code::clocked}) {
        const compile::Program program = compiled(text, code);
        EXPECT_EQ(program.code.problem, "");
        EXPECT_THAT(program.code.ptx, HasSubstr(".reqnctapercluster 4, 2, 1"));
        if (!ptxas().empty()) {
            EXPECT_EQ(tests::refused_by_ptxas(program.code.ptx, "sm_90"), "");
        }
        EXPECT_THAT(compiled(text, code, "sm_86").code.problem, HasSubstr("compute capability 9.0"));
    }
}

TEST(TracedCode, IsMadeOfTheCatalogue) {
    if (ptxas().empty()) {
        GTEST_SKIP() << "ptxas is not here";
    }
    const catalogue::Catalogue all(tests::source_dir() / "kernels", {});
    unsigned made = 0;
    const std::vector<std::uint64_t> sizes = tests::sampled<std::uint64_t>({1ULL << 10, 1ULL << 20}, {1ULL << 10});
    for (const catalogue::Entry& e : all.entries()) {
        for (const std::uint64_t n : sizes) { // a template instance may depend on n
            RunOptions o;
            o.kernel.file = e.path.string();
            o.backend = Backend::cuda;
            o.n = n;
            o.kernel.n_given = true;
            o.type = taken_type(require_strategy(e.id));
            runs::KernelSource source(o);
            source.trace_on("sm_90");
            const auto code = source.compile(o, true);
            if (!code.program->code.problem.empty()) {
                EXPECT_EQ(e.id, "scan-pipelined") << code.program->code.problem; // barriers and copies in assembly
                continue;
            }
            ++made;
            if (!tests::kSanitized) { // the code is the same
                EXPECT_EQ(tests::refused_by_ptxas(code.program->code.ptx, "sm_90"), "") << e.id << " of " << n;
            }
        }
    }
    EXPECT_GE(made, sizes.size() * 38);
}

} // namespace
} // namespace warptree
