// An error in one function of the device stops that function and what needs it, and no other kernel of the file.
#include "tests/support/compile_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree::tests {
namespace {

using namespace compile;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> kernels(const Compiled& c) {
    std::vector<std::string> result;
    for (const KernelFacts& kernel : c.kernels) result.push_back(kernel.name);
    return result;
}
// "tensor:3: message"
std::vector<std::string> refused(const Compiled& c) {
    std::vector<std::string> result;
    for (const RefusedKernel& r : c.refused)
        result.push_back(r.name + ":" + std::to_string(r.why.line) + ": " + r.why.message);
    return result;
}

constexpr const char* kPlain = "__global__ void plain(int* a) { a[threadIdx.x] = 1; }\n";

// Beside a good kernel, the text makes one that is refused for a reason; the good one is compiled.
void expect_refused(const std::string& text, const std::string& name, const std::string& reason) {
    for (const std::string& whole : {kPlain + text, text + kPlain}) {
        const Compiled c = compile_text(whole);
        EXPECT_THAT(errors(c), IsEmpty()) << whole;
        EXPECT_THAT(kernels(c), ElementsAre("plain")) << whole;
        ASSERT_THAT(refused(c), ElementsAre(AllOf(testing::StartsWith(name + ":"), HasSubstr(reason)))) << whole;
        ASSERT_TRUE(c.module != nullptr);
        EXPECT_TRUE(c.module->getFunction("_Z5plainPi") != nullptr);
        for (const llvm::Function& function : *c.module)
            EXPECT_TRUE(function.use_empty() || !function.getName().contains("broken")) << function.getName().str();
    }
}

TEST(FrontEndBroken, LibrariesAndLanguageThatAreNotPartOfWarptree) {
    expect_refused("#include <mma.h>\n__global__ void tensor(const half* a) {\n using namespace nvcuda;\n"
                   " wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;\n"
                   " wmma::load_matrix_sync(x, a, 16);\n}\n",
                   "tensor", "tensor cores (wmma, wgmma) are not part of warptree");
    expect_refused("#include <mma.h>\nusing namespace nvcuda;\n__global__ void tensor(float* c) {\n"
                   " wmma::fragment<wmma::accumulator, 16, 16, 16, float> z; wmma::fill_fragment(z, 0.0f);\n}\n",
                   "tensor", "tensor cores (wmma, wgmma) are not part of warptree");
    expect_refused("__global__ void recurse(int* a, int n) { if (n > 1) recurse<<<1, n / 2>>>(a, n / 2); }\n",
                   "recurse", "dynamic parallelism");
    expect_refused("#include <cub/cub.cuh>\n__global__ void total(int* a) {\n"
                   " typedef cub::BlockRadixSort<int, 128, 1> Sort;\n __shared__ typename Sort::TempStorage room;\n"
                   " int own[1] = {a[threadIdx.x]};\n Sort(room).Sort(own);\n}\n",
                   "total", "this part of CUB is not part of warptree");
    expect_refused("#include <thrust/sort.h>\n__global__ void sorts(int* a) { thrust::sort(thrust::seq, a, a + 4); }\n",
                   "sorts", "Thrust is not part of warptree");
}

TEST(FrontEndBroken, AnyErrorInOneKernel) {
    expect_refused("__global__ void other(int* a) { a[0] = missing + 1; }\n", "other", "'missing'");
    expect_refused("__global__ void other(int* a) { a[0] = ; a[1] = 2; }\n", "other", "expected expression");
    expect_refused("__global__ void other(unknown_t* a) { a[0] = 1; }\n", "other", "unknown type name 'unknown_t'");
    expect_refused("__global__ void other(int* a) { if (a.size() > 2) a[0] = 1; }\n", "other", "");
    expect_refused(
        "__global__ void other(int* a) { struct { __device__ int f() { return nothing; } } s; a[0] = s.f(); }\n",
        "other", "'nothing'");
    expect_refused("__global__ void other(int* a) { auto f = [&](int i) { return i + nothing; }; a[0] = f(1); }\n",
                   "other", "'nothing'");
}

TEST(FrontEndBroken, WhatNeedsTheFunctionIsRefusedToo) {
    expect_refused("__device__ int broken(int i) { return i + nothing; }\n"
                   "static __device__ int between(int i) { return broken(i) * 2; }\n"
                   "__global__ void user(int* a) { a[0] = between(a[1]); }\n",
                   "user", "'nothing'");
    expect_refused("__device__ int broken(int i) { return i + nothing; }\n"
                   "__device__ int (*table[2])(int) = {broken, broken};\n"
                   "__global__ void user(int* a) { a[0] = table[a[1]](1); }\n",
                   "user", "'nothing'");
    expect_refused("struct Pair { int x; __device__ Pair() : x(nothing) {} };\n"
                   "__global__ void user(int* a) { Pair p; a[0] = p.x; }\n",
                   "user", "'nothing'");
    expect_refused("struct Part { unknown_t x; int y; };\n__global__ void user(int* a) { Part p; a[0] = p.y; }\n",
                   "user", "'unknown_t'");
    expect_refused("__device__ unknown_t value;\n__global__ void user(int* a) { a[0] = value; }\n", "user",
                   "'unknown_t'");
    expect_refused("__device__ unknown_t broken(int i);\n__global__ void user(int* a) { a[0] = 1; broken(2); }\n",
                   "user", "'unknown_t'");
    expect_refused("typedef unknown_t Number;\n__global__ void user(int* a) { Number x = 1; a[0] = x; }\n", "user",
                   "'unknown_t'");
    for (const char* declared :
         {"__device__ int value = unheard_of + 1;", "__constant__ float value[unheard_of];",
          "enum { value = unheard_of };", "enum class value { one = unheard_of, two };",
          "struct value { int a = unheard_of; int b; };", "typedef decltype(unheard_of) value;",
          "using value = unheard_of;", "struct value : unheard_of { int b; };",
          "template <int N> struct value { int a[N + unheard_of]; };", "constexpr int value = unheard_of;",
          "struct Base { unheard_of a; int b; }; struct value : Base {};",
          "struct Part { int a = unheard_of; }; struct value { Part p; };",
          "__device__ int value(int i = unheard_of) { return i; }",
          "namespace inner { static const int value = unheard_of; } using namespace inner;"})
        for (const char* use :
             {"a[0] = sizeof(value) + 1;", "auto* p = &value; a[0] = *(int*)p;", "value v; a[0] = sizeof v;"}) {
            const Compiled c = compile_text(std::string(declared) + "\n__global__ void user(int* a) { " + use +
                                            " a[1] = 2; }\n" + kPlain);
            EXPECT_THAT(errors(c), IsEmpty()) << declared << use;
            EXPECT_THAT(kernels(c), ElementsAre("plain")) << declared << use;
            EXPECT_THAT(refused(c), Contains(testing::StartsWith("user:"))) << declared << use;
        }
    const Compiled unused = compile_text(std::string("__device__ int broken() { return nothing; }\n") + kPlain);
    EXPECT_THAT(errors(unused), IsEmpty());
    EXPECT_THAT(refused(unused), ElementsAre("__device__ broken:1: use of undeclared identifier 'nothing'"));
    EXPECT_THAT(warnings(unused), Contains(HasSubstr("in broken, which is not run: use of undeclared identifier")));
}

TEST(FrontEndBroken, TemplatesAndTheirInstances) {
    expect_refused("template <int B> __global__ void tree(int* a) { cub::BlockReduce<int, B> r; a[0] = B; }\n", "tree",
                   "'cub'");
    const std::string text = std::string("template <class T> __global__ void scale(T* a) { a[0] = a[0].value; }\n") +
                             "struct Box { int value; __device__ operator int() { return value; } "
                             "__device__ Box& operator=(int v) { value = v; return *this; } };\n" +
                             "template __global__ void scale<Box>(Box*);\ntemplate __global__ void scale<int>(int*);\n";
    const Compiled c = compile_text(text);
    EXPECT_THAT(errors(c), IsEmpty());
    EXPECT_THAT(kernels(c), ElementsAre("scale<Box>"));
    EXPECT_THAT(refused(c), ElementsAre(testing::StartsWith("scale<int>:1: ")));
    const Compiled asked = compile_text(
        kPlain + std::string("template <int B> __global__ void tree(int* a) { a[B] = nothing; }\n"), {"tree<4>"});
    EXPECT_THAT(errors(asked), Contains(HasSubstr("'nothing'")));
    EXPECT_TRUE(asked.module == nullptr);
}

TEST(FrontEndBroken, NothingRunsWhereTheMeaningIsInDoubt) {
    for (const char* text :
         {"#error stop\n__global__ void other(int* a) {}\n", "__global__ void other(int* a) {\n#error stop\n}\n",
          "__global__ void other(int* a) { a[0] = 1; }}\n", "static_assert(sizeof(int) == 8);\n",
          "template <> struct Traits<float> { static const int size = 8; };\n"}) {
        const Compiled c = compile_text(kPlain + std::string(text));
        EXPECT_THAT(errors(c), Not(IsEmpty())) << text;
        EXPECT_TRUE(c.module == nullptr) << text;
    }
    // A brace that is never closed swallows what follows.
    const Compiled open = compile_text("__global__ void other(int* a) { if (a[0]) {\n" + std::string(kPlain));
    EXPECT_THAT(errors(open), Not(IsEmpty()));
    EXPECT_TRUE(open.module == nullptr);
}

TEST(FrontEndBroken, AFileWithoutAnotherKernelKeepsItsErrors) {
    const Compiled c =
        compile_text("__device__ int f() { return nothing; }\n__global__ void k(int* a) { a[0] = f(); }\n");
    EXPECT_THAT(errors(c), ElementsAre("test.cu:1:29: use of undeclared identifier 'nothing'"));
    EXPECT_TRUE(c.module == nullptr);
}

TEST(FrontEndBroken, NamesOfHostCodeMayBeThoseOfDeviceCode) {
    const Compiled c = compile_text("#include <thrust/device_vector.h>\nthrust::device_vector<int> a;\n"
                                    "void n(thrust::device_vector<int>& v);\n"
                                    "__global__ void k(int* a, int n) { a[0] = n; }\n");
    EXPECT_THAT(errors(c), IsEmpty());
    EXPECT_THAT(kernels(c), ElementsAre("k"));
    EXPECT_THAT(c.refused, IsEmpty());
}

TEST(FrontEndBroken, ErrorsOfHostCodeStayWhatTheyAre) {
    const Compiled c = compile_text(kPlain + std::string("__global__ void other(int* a) { a[0] = nothing; }\n"
                                                         "void host() { also_nothing(); }\n"));
    EXPECT_THAT(kernels(c), ElementsAre("plain"));
    EXPECT_THAT(warnings(c), Contains(HasSubstr("in host code, which is not run: use of undeclared identifier "
                                                "'also_nothing'")));
}

} // namespace
} // namespace warptree::tests
