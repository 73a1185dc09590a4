#include "tests/support/compile_text.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include <array>

namespace warptree::tests {
namespace {

using namespace compile;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> names(const Compiled& compiled) {
    std::vector<std::string> result;
    for (const KernelFacts& kernel : compiled.kernels) result.push_back(kernel.name);
    return result;
}

TEST(FrontEndKernels, HaveParametersAsWritten) {
    const Compiled c = compile_text(R"(
struct Matrix { int width; float* data; };
enum Mode { fast, exact };
extern "C" __global__ void __launch_bounds__(128, 2)
k(const float* __restrict__ in, float4* out, unsigned int n, Matrix m, double alpha, Mode mode, const __half* h, bool flag,
  void* raw, float3 v) {}
)");
    ASSERT_THAT(errors(c), IsEmpty());
    ASSERT_EQ(c.kernels.size(), 1);
    const KernelFacts& k = c.kernels[0];
    EXPECT_EQ(k.name, "k");
    EXPECT_EQ(k.symbol, "k");
    EXPECT_NE(c.module->getFunction("k"), nullptr);
    EXPECT_EQ(k.most_threads, 128);
    EXPECT_EQ(k.line, 5);
    ASSERT_EQ(k.parameters.size(), 10);
    const auto expect = [&](int i, const char* name, const char* type, Parameter::Kind kind, ValueType element,
                            std::uint32_t bytes, std::uint32_t components, bool constant) {
        const Parameter& p = k.parameters[static_cast<std::size_t>(i)];
        EXPECT_EQ(p.name, name);
        EXPECT_EQ(p.type, type);
        EXPECT_EQ(p.kind, kind) << name;
        EXPECT_EQ(p.element, element) << name;
        EXPECT_EQ(p.element_bytes, bytes) << name;
        EXPECT_EQ(p.components, components) << name;
        EXPECT_EQ(p.constant, constant) << name;
    };
    using Kind = Parameter::Kind;
    expect(0, "in", "const float* __restrict__", Kind::array, ValueType::f32, 4, 1, true);
    expect(1, "out", "float4*", Kind::array, ValueType::f32, 16, 4, false);
    expect(2, "n", "unsigned int", Kind::value, ValueType::u32, 4, 1, false);
    expect(3, "m", "Matrix", Kind::record, ValueType::none, 16, 1, false);
    expect(4, "alpha", "double", Kind::value, ValueType::f64, 8, 1, false);
    expect(5, "mode", "Mode", Kind::value, ValueType::u32, 4, 1, false);
    expect(6, "h", "const __half*", Kind::array, ValueType::f16, 2, 1, true);
    expect(7, "flag", "bool", Kind::value, ValueType::boolean, 1, 1, false);
    expect(8, "raw", "void*", Kind::array, ValueType::none, 0, 1, false);
    expect(9, "v", "float3", Kind::record, ValueType::f32, 12, 3, false);
    EXPECT_EQ(k.parameters[3].bytes, 16);
}

TEST(FrontEnd, ClustersAreRead) {
    const Compiled c = compile_text(R"(
__global__ void __cluster_dims__(4, 2, 1) a(int* out) { *out = 1; }
__cluster_dims__(8) __global__ void b(int* out) { *out = 1; }
template <int N> __global__ void __cluster_dims__(N, N + 1) c(int* out) { *out = 1; }
template __global__ void c<3>(int*);
__global__ void d(int* out) { *out = 1; }
)");
    ASSERT_THAT(errors(c), IsEmpty());
    const auto cluster = [&](const std::string& name) {
        const auto at = std::ranges::find(c.kernels, name, &KernelFacts::name);
        return at == c.kernels.end() ? std::vector<std::uint32_t>{}
                                     : std::vector<std::uint32_t>(std::begin(at->cluster), std::end(at->cluster));
    };
    EXPECT_THAT(cluster("a"), ElementsAre(4, 2, 1));
    EXPECT_THAT(cluster("b"), ElementsAre(8, 1, 1));
    EXPECT_THAT(cluster("c<3>"), ElementsAre(3, 4, 1));
    EXPECT_THAT(cluster("d"), ElementsAre(0, 0, 0));
    EXPECT_THAT(errors(compile_text("__global__ void __cluster_dims__(threadIdx.x) k() {}")), Not(IsEmpty()));
}

TEST(FrontEndKernels, AreThoseThatTheFileInstantiates) {
    const Compiled c = compile_text(R"(
namespace sums {
template <class T, unsigned B = 256> __global__ void reduce(const T* in, T* out) { out[0] = in[B]; }
}
namespace { __global__ void hidden(int* a) {} }
__global__ void declared(int*);
template __global__ void sums::reduce<float, 64>(const float*, float*);
int main() { sums::reduce<double><<<1, 256>>>(nullptr, nullptr); hidden<<<2, dim3(8, 4)>>>(nullptr); }
)");
    ASSERT_THAT(errors(c), IsEmpty());
    EXPECT_THAT(names(c),
                testing::UnorderedElementsAre("sums::reduce<float, 64>", "sums::reduce<double, 256>", "hidden"));
    for (const KernelFacts& kernel : c.kernels) EXPECT_NE(c.module->getFunction(kernel.symbol), nullptr) << kernel.name;
    ASSERT_EQ(c.templates.size(), 1);
    EXPECT_EQ(c.templates[0].name, "sums::reduce");
    ASSERT_EQ(c.templates[0].parameters.size(), 2);
    EXPECT_EQ(c.templates[0].parameters[0].type, "typename");
    EXPECT_EQ(c.templates[0].parameters[1].name, "B");
    EXPECT_EQ(c.templates[0].parameters[1].type, "unsigned int");
    EXPECT_EQ(c.templates[0].parameters[1].fallback, "256");
    ASSERT_EQ(c.template_places.size(), 1);
    EXPECT_EQ(c.template_places[0].line, 3);
}

constexpr const char* kReduce = R"(
template <class T, unsigned B> __global__ void reduce(const T* in, T* out) {
    static_assert(B >= 32, "a warp at least");
    out[0] = in[B];
}
template <unsigned B> __global__ void scan(int* a) { a[0] = B; }
__global__ void plain(int* a) {}
)";

TEST(FrontEndInstances, ComeFirstInTheOrderAskedFor) {
    const Compiled c = compile_text(kReduce, {"scan<64>", "reduce<float, 128>", "scan<32>"});
    ASSERT_THAT(errors(c), IsEmpty());
    EXPECT_THAT(names(c), ElementsAre("scan<64>", "reduce<float, 128>", "scan<32>", "plain"));
    EXPECT_EQ(c.files[0].text, kReduce) << "what asks for the instances is not part of the file";
}

TEST(FrontEndInstances, NameTheTemplateThatRefuses) {
    const auto of = [](const char* instance) {
        const Compiled c = compile_text(kReduce, {instance});
        EXPECT_TRUE(c.module == nullptr);
        const auto lines = errors(c);
        return lines.empty() ? std::string() : lines[0];
    };
    EXPECT_THAT(of("reduce<float>"), testing::AllOf(testing::StartsWith("test.cu:2:48: reduce<float>: "),
                                                    HasSubstr("template<typename T, unsigned int B> reduce")));
    EXPECT_THAT(of("reduce<Missing, 64>"), HasSubstr("use of undeclared identifier 'Missing'"));
    EXPECT_THAT(of("scan<float>"), HasSubstr("template<unsigned int B> scan"));
    EXPECT_THAT(of("nothing<1>"), HasSubstr("nothing<1>: the file has no __global__ template nothing"));
    EXPECT_THAT(of("reduce<float, 1>"), HasSubstr("a warp at least")) << "Clang's words on the body";
    EXPECT_THAT(of("scan<1>; } int x = foo(); void f() {"), HasSubstr("is not a template with its arguments"));
    EXPECT_THAT(of("scan<1>\n#include \"/etc/passwd\""), HasSubstr("is not a template with its arguments"));
}

TEST(FrontEndInstances, LeaveTheFilesOwnErrorsAsTheyAre) {
    const Compiled c = compile_text(std::string(kReduce) + "#error not yet\n", {"scan<64>"});
    EXPECT_THAT(errors(c), ElementsAre("test.cu:8:2: not yet"));
    const Compiled open = compile_text("template <int N> __global__ void k(int* a) { a[0] = N;", {"k<3>"});
    EXPECT_THAT(errors(open), ElementsAre(HasSubstr("test.cu:1:55: expected '}'")));
    const Compiled comment = compile_text("template <int N> __global__ void k(int* a) { a[0] = N; } // \\", {"k<3>"});
    EXPECT_THAT(errors(comment), IsEmpty());
}

TEST(FrontEndLaunches, TellTheBlockWhereItIsAConstant) {
    const Compiled c = compile_text(R"(
#define THREADS 96
__global__ void literal(int*) {}  __global__ void macro(int*) {}  __global__ void variable(int*) {}
__global__ void three(int*) {}    __global__ void braces(int*) {} __global__ void changed(int*) {}
__global__ void passed(int*) {}   __global__ void argument(int*) {} __global__ void computed(int*) {}
template <int B> __global__ void instance(int*) {}
template <int B> void run(int* p) { instance<B><<<1, B>>>(p); }
const int kGlobal = 48;
__global__ void global_constant(int*) {}
void launch(int* p, int n, int threads) {
    literal<<<n, 256, 1024>>>(p);
    macro<<<(n + THREADS - 1) / THREADS, THREADS>>>(p);
    int block = 128;
    variable<<<n / block, block>>>(p);
    dim3 grid(4, 4), size(16, 16);
    three<<<grid, size>>>(p);
    dim3 braced = {8, 4, 2};
    braces<<<grid, braced>>>(p);
    int other = 64;
    other *= 2;
    changed<<<1, other>>>(p);
    int found = 32;
    cudaOccupancyMaxPotentialBlockSize(&n, &found, passed);
    passed<<<1, found>>>(p);
    argument<<<1, threads>>>(p);
    computed<<<1, dim3(size.x * 2, block > 100 ? 2 : 1)>>>(p);
    global_constant<<<1, kGlobal>>>(p);
    run<512>(p);
}
)");
    ASSERT_THAT(errors(c), IsEmpty());
    EXPECT_THAT(warnings(c), IsEmpty());
    const auto block = [&](const std::string& name) {
        for (const KernelFacts& k : c.kernels)
            if (k.name == name) return std::array{k.launched_block[0], k.launched_block[1], k.launched_block[2]};
        ADD_FAILURE() << name << " is no kernel";
        return std::array{0U, 0U, 0U};
    };
    EXPECT_THAT(block("literal"), ElementsAre(256, 1, 1));
    EXPECT_THAT(block("macro"), ElementsAre(96, 1, 1));
    EXPECT_THAT(block("variable"), ElementsAre(128, 1, 1));
    EXPECT_THAT(block("three"), ElementsAre(16, 16, 1));
    EXPECT_THAT(block("braces"), ElementsAre(8, 4, 2));
    EXPECT_THAT(block("changed"), ElementsAre(0, 0, 0));
    EXPECT_THAT(block("passed"), ElementsAre(0, 0, 0));
    EXPECT_THAT(block("argument"), ElementsAre(0, 0, 0));
    EXPECT_THAT(block("computed"), ElementsAre(32, 2, 1));
    EXPECT_THAT(block("global_constant"), ElementsAre(48, 1, 1));
    EXPECT_THAT(block("instance<512>"), ElementsAre(512, 1, 1));
}

TEST(FrontEndDefines, ReachTheFileAndNotOurHeaders) {
    const char* text =
        "#include <cooperative_groups.h>\n#include <algorithm>\n#include <cuda_fp16.h>\n#include <vector>\n"
        "__global__ void k(T* a) { a[0] = N; }";
    const Compiled c =
        compile::compile({"k.cu", text, "", {{"T", "unsigned char"}, {"N", "7"}, {"x", "y"}, {"a_", ""}}, {}});
    ASSERT_THAT(errors(c), IsEmpty());
    EXPECT_EQ(c.kernels[0].parameters[0].type, "unsigned char*");
    const Compiled bad = compile::compile({"k.cu", text, "", {{"T\n#include", "x"}}, {}});
    EXPECT_THAT(errors(bad), ElementsAre(HasSubstr("cannot be defined as a macro")));
}

TEST(FrontEndFiles, AreThoseOfTheFolder) {
    const TemporaryFolder folder;
    folder.write("own.cuh", "#pragma once\n#include \"sub/deep.cuh\"\n__device__ int own() { return deep(); }\n");
    folder.write("sub/deep.cuh", "__device__ int deep() { return 3; }\n");
    folder.write("vector", "this is a program that nvcc -o made\n");
    const Compiled c = compile_text("#include \"own.cuh\"\n#include <vector>\n#include <own.cuh>\n"
                                    "__global__ void k(int* a) { a[0] = own(); }",
                                    {}, folder.string());
    ASSERT_THAT(errors(c), IsEmpty());
    EXPECT_THAT(warnings(c), IsEmpty());
    ASSERT_EQ(c.files.size(), 3);
    EXPECT_EQ(c.files[0].path, "test.cu");
    EXPECT_EQ(c.files[1].path, "own.cuh");
    EXPECT_EQ(c.files[2].path, "sub/deep.cuh");
    EXPECT_EQ(c.files[2].text, "__device__ int deep() { return 3; }\n");
    EXPECT_FALSE(c.files[1].ours);
    const Compiled named = compile_text("#include \"own.cuh\"\nconst char* const kFile = __FILE__;\n"
                                        "__device__ int f() { return own() + nowhere; }",
                                        {}, folder.string());
    EXPECT_THAT(errors(named), ElementsAre("test.cu:3:37: use of undeclared identifier 'nowhere'"));
}

TEST(FrontEndFiles, AreNamedInDebugRecordsAsInTheSource) {
    const TemporaryFolder folder;
    folder.write("own.cuh", "__device__ int own(int x) { return x * 3; }\n");
    const Compiled c =
        compile_text("#include \"own.cuh\"\n__global__ void k(int* a) { a[0] = own(a[1]); }", {}, folder.string());
    ASSERT_NE(c.module, nullptr);
    bool seen = false;
    for (const llvm::Function& function : *c.module)
        if (function.getSubprogram() != nullptr && function.getName().contains("own")) {
            EXPECT_EQ(function.getSubprogram()->getFilename(), "own.cuh");
            seen = true;
        }
    EXPECT_TRUE(seen);
}

TEST(FrontEndFiles, GiveOneStateOfTheEditorAndTheDisk) {
    const TemporaryFolder folder;
    folder.write("test.cu", "what the disk has is not asked for");
    const Compiled c = compile_text("__global__ void k(int* a) {}", {}, folder.string());
    EXPECT_THAT(errors(c), IsEmpty());
    EXPECT_EQ(compile::compile({"/home/me/../x/mine.cu", "__global__ void k() {}", "", {}, {}}).files[0].path,
              "mine.cu");
    EXPECT_EQ(compile::compile({"", "__global__ void k() {}", "", {}, {}}).files[0].path, "kernel.cu");
}

} // namespace
} // namespace warptree::tests
