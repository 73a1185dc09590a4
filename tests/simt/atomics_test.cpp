// Atomics of every type and operation, and compare-and-swap loops.
#include "tests/support/kernel_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree::tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The word after all threads of 4 blocks of 64 have applied an atomic to it, in any order.
template <class T> T after(const std::string& type, T before, const std::string& operation) {
    const Trace trace =
        run_text(fmt::format("#include <cooperative_groups.h>\n__global__ void k(const int* in, {0}* word) {{\n  const "
                             "int i = blockIdx.x * 64 + threadIdx.x;\n"
                             "  if (i == 0) *word = {1};\n  __threadfence(); cooperative_groups::this_grid().sync();\n"
                             "  {2};\n}}\n",
                             type, before, operation),
                 [](RunOptions& o) {
                     o.block = 64;
                     o.n = 256;
                     o.kernel.grid = "4";
                 });
    EXPECT_THAT(kinds(trace), IsEmpty()) << type << " " << operation;
    return values<T>(trace, "word").front();
}

TEST(Atomics, OfIntegers) {
    EXPECT_EQ(after<int>("int", 5, "atomicAdd(word, i)"), 5 + 255 * 128);
    EXPECT_EQ(after<int>("int", 5, "atomicSub(word, i)"), 5 - 255 * 128);
    EXPECT_EQ(after<int>("int", 5, "atomicMin(word, 100 - i)"), -155);
    EXPECT_EQ(after<int>("int", 5, "atomicMax(word, 100 - i)"), 100);
    EXPECT_EQ(after<unsigned>("unsigned", 500, "atomicMin(word, i + 3u)"), 3U);
    EXPECT_EQ(after<unsigned>("unsigned", 5, "atomicMax(word, 0u - i)"), ~0U);
    EXPECT_EQ(after<unsigned>("unsigned", ~0U, "atomicAnd(word, ~(1u << i % 5))"), 0xFFFFFFE0U);
    EXPECT_EQ(after<unsigned>("unsigned", 0, "atomicOr(word, 1u << i % 32)"), 0xFFFFFFFFU);
    EXPECT_EQ(after<unsigned>("unsigned", 0, "atomicXor(word, i)"), 0U);
    EXPECT_EQ(after<unsigned>("unsigned", 0, "atomicInc(word, 99u)"), 256 % 100U);
    EXPECT_EQ(after<unsigned>("unsigned", 0, "atomicDec(word, 99u)"), (100 - 256 % 100) % 100U);
    EXPECT_EQ(after<unsigned long long>("unsigned long long", 1ULL << 40, "atomicAdd(word, (unsigned long long)i)"),
              (1ULL << 40) + 255 * 128);
    EXPECT_EQ(after<unsigned long long>("unsigned long long", 7, "atomicMax(word, (unsigned long long)i << 33)"),
              255ULL << 33);
    EXPECT_EQ(after<long long>("long long", 7, "atomicMin(word, (long long)-i << 33)"), -(255LL << 33));
}

TEST(Atomics, OfFloatingNumbers) {
    EXPECT_EQ(after<float>("float", 1, "atomicAdd(word, (float)i)"), 1.0F + 255 * 128);
    EXPECT_EQ(after<double>("double", 1, "atomicAdd(word, i * 0.5)"), 1.0 + 255 * 64);
}

TEST(Atomics, InOneScopeOrAnother) {
    const Trace one_block = run_text("__global__ void k(int* word) {\n  if (threadIdx.x == 0) *word = 0;\n"
                                     "  __syncthreads();\n  atomicAdd_block(word, 2);\n}",
                                     [](RunOptions& o) {
                                         o.block = 256;
                                         o.kernel.grid = "1";
                                     });
    EXPECT_THAT(kinds(one_block), IsEmpty());
    EXPECT_EQ(values<int>(one_block, "word").front(), 512);
    EXPECT_EQ(after<int>("int", 0, "atomicAdd_system(word, 1)"), 256);
}

TEST(Atomics, OfSharedMemoryAreOrderedToo) {
    const Trace trace = run_text("__global__ void k(int* out) {\n  __shared__ int s; if (threadIdx.x == 0) s = 0;\n"
                                 "  __syncthreads(); atomicAdd(&s, (int)threadIdx.x); __syncthreads();\n"
                                 "  if (threadIdx.x == 0) out[0] = s;\n}",
                                 [](RunOptions& o) { o.block = 256; });
    EXPECT_THAT(values<int>(trace, "out"), ElementsAre(255 * 128));
    EXPECT_THAT(kinds(trace), IsEmpty());
}

TEST(Atomics, ReturnWhatWasThere) {
    const Trace trace = run_text("__global__ void k(unsigned* next, unsigned* out) {\n"
                                 "  out[atomicAdd(next, 1u)] = threadIdx.x;\n}");
    std::vector<unsigned> sorted = values<unsigned>(trace, "out");
    std::sort(sorted.begin(), sorted.end());
    for (unsigned l = 0; l < 32; ++l) {
        EXPECT_EQ(sorted[l], l); // each gets a different slot
    }
}

// A double added with compare-and-swap, as before atomicAdd supported it: two lanes with the same bits both compare
// equal, and one of them must retry; every element stays in the tree.
TEST(CompareAndSwap, KeepsEveryElement) {
    const char* const text =
        "// expect: sum\n__device__ void add(double* to, double v) {\n"
        "  unsigned long long* word = (unsigned long long*)to; unsigned long long old = *word, met;\n"
        "  do { met = old; old = atomicCAS(word, met, __double_as_longlong(v + __longlong_as_double(met)));\n"
        "  } while (met != old);\n}\n"
        "__global__ void k(const double* in, double* out, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) add(out, in[i]);\n}";
    for (const InputKind input : {InputKind::ones, InputKind::iota, InputKind::random}) {
        const Trace trace = run_text(text, [&](RunOptions& o) {
            o.block = 64;
            o.n = 256;
            o.kernel.grid = "4";
            o.input = input;
            o.kernel.input_given = true;
            o.kernel.arguments["out"] = "zeros:1";
        });
        EXPECT_TRUE(trace.pass) << name(input);
        EXPECT_EQ(trace.tree.leaves, 256U + 1) << name(input); // plus the initial value of the word
    }
}

} // namespace
} // namespace warptree::tests
