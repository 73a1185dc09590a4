// Results get a name only if they are what the name says, for any input.
#include "tests/support/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warptree::tests {
namespace {

// What the report says that the kernel's output equals, if nothing is stated but these options.
std::string name_of(const std::string& kernel, const std::function<void(RunOptions&)>& change = {}) {
    RunOptions o;
    o.kernel.text = kernel;
    o.backend = Backend::cpu;
    if (change) {
        change(o);
    }
    RunControl control;
    return runs::run_kernel_file(o, control).equals;
}

const std::string kOwnIndex = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n";

// Adds what each thread has in `v` to out[0].
std::string added(const std::string& parameters, const std::string& value, const char* type = "float") {
    return "__global__ void k(" + parameters + ") {\n" + kOwnIndex + "  " + type + " v = " + value +
           ";\n  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(~0u, v, o);\n"
           "  if (threadIdx.x % 32 == 0) atomicAdd(out, v);\n}\n";
}

// A tree in shared memory, one partial result a block.
std::string reduced(const std::string& combine, const char* type = "int") {
    return std::string("__global__ void k(const ") + type + "* in, " + type + "* out, int n) {\n  __shared__ " + type +
           " s[256]; int t = threadIdx.x;\n" + kOwnIndex + "  s[t] = in[i]; __syncthreads();\n" +
           "  for (int d = 128; d > 0; d /= 2) { if (t < d) s[t] = " + combine +
           "; __syncthreads(); }\n  if (t == 0) out[blockIdx.x] = s[0];\n}\n";
}

TEST(Recognised, ReductionsOfEachOperator) {
    EXPECT_EQ(name_of(reduced("s[t] + s[t + d]")), "the sum of in, from 4 partial results");
    EXPECT_EQ(name_of(reduced("s[t] + s[t + d]", "double")), "the sum of in, from 4 partial results");
    EXPECT_EQ(name_of("__global__ void k(const int* in, int* out, int n) {\n"
                      "  int i = blockIdx.x * blockDim.x + threadIdx.x, v = i < n ? in[i] : 0;\n"
                      "  for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);\n"
                      "  if (threadIdx.x % 32 == 0) out[i / 32] = v;\n}"),
              "the sum of in, from 32 partial results")
        << "one a warp";
    EXPECT_EQ(name_of(reduced("s[t] * s[t + d]")), "the product of in, from 4 partial results, modulo 2^32");
    EXPECT_EQ(name_of(reduced("s[t] * s[t + d]", "float")), "the product of in, from 4 partial results");
    EXPECT_EQ(name_of(reduced("min(s[t], s[t + d])")), "the min of in, from 4 partial results");
    EXPECT_EQ(name_of(reduced("max(s[t], s[t + d])", "unsigned")), "the max of in, from 4 partial results");
    EXPECT_EQ(name_of(reduced("s[t] ^ s[t + d]")), "the xor of in, from 4 partial results");
}

// The least of all outputs is the least of all elements there, too, but half of them are something else.
TEST(Recognised, NoMinimumBesideMaxima) {
    EXPECT_EQ(name_of("__global__ void k(const int* in, int* out) {\n  __shared__ int lo[64], hi[64];\n"
                      "  int t = threadIdx.x;\n  lo[t] = hi[t] = in[blockIdx.x * 64 + t];\n  __syncthreads();\n"
                      "  for (int d = 32; d > 0; d /= 2) {\n    if (t < d) {\n      lo[t] = min(lo[t], lo[t + d]);\n"
                      "      hi[t] = max(hi[t], hi[t + d]);\n    }\n    __syncthreads();\n  }\n"
                      "  if (t == 0) out[2 * blockIdx.x] = lo[0], out[2 * blockIdx.x + 1] = hi[0];\n}\n"),
              "");
}

// A thread, a warp or a block may take its part of an input in several ways.
TEST(Recognised, ExtremesOfEachPart) {
    const auto least = [](const std::string& next, const std::string& step, const std::string& store) {
        return "__global__ void k(const float* in, float* out, int n) {\n  float v = 3e38f;\n"
               "  for (int i = " +
               next + "; i < n; i += " + step + ") v = min(v, in[i]);\n" + store + "}\n";
    };
    const std::string thread = "blockIdx.x * blockDim.x + threadIdx.x", all = "blockDim.x * gridDim.x";
    const std::string block =
        "  __shared__ float s[256];\n  s[threadIdx.x] = v;\n  __syncthreads();\n"
        "  for (int d = 128; d; d /= 2) {\n    if (threadIdx.x < d)\n"
        "      s[threadIdx.x] = min(s[threadIdx.x], s[threadIdx.x + d]);\n    __syncthreads();\n  }\n"
        "  if (threadIdx.x == 0) out[blockIdx.x] = s[0];\n";
    const auto grid = [](RunOptions& o) {
        o.kernel.grid = "2", o.kernel.block = "256", o.n = 4096, o.kernel.n_given = true;
    };
    EXPECT_EQ(name_of(least(thread, all, block), grid), "the min of in, from 2 partial results") << "a block's in turn";
    EXPECT_EQ(name_of(least(thread, all, "  out[" + thread + "] = v;\n"), grid),
              "the min of in, from 512 partial results")
        << "a thread's in turn";
}

// A value of each row is not the one value that its first is, and a copy is no sum of single elements.
TEST(Recognised, NoSingleValueWhereEachRowHasOne) {
    const auto row = [](const std::string& begin, const std::string& each, const std::string& store) {
        return "__global__ void k(const int* A, const int* x, int* y, int n) {\n  __shared__ int p[128];\n"
               "  int r = blockIdx.x, v = " +
               begin + ";\n  for (int j = threadIdx.x; j < n; j += 128) " + each +
               "\n  p[threadIdx.x] = v;\n  __syncthreads();\n  for (int d = 64; d; d >>= 1) {\n"
               "    if (threadIdx.x < d) p[threadIdx.x] = " +
               store +
               ";\n    __syncthreads();\n  }\n"
               "  if (threadIdx.x == 0) y[r] = p[0];\n}\n";
    };
    const std::string both = "p[threadIdx.x] + p[threadIdx.x + d]";
    EXPECT_EQ(name_of(row("0", "v += A[r * n + j] * x[j];", both)), "the matrix-vector product of A and x");
    EXPECT_EQ(name_of(row("0", "v += A[r * n + j] * x[r * n + j];", both)), "");
    EXPECT_EQ(name_of(row("0", "v += (A[r * n + j] - x[j]) * (A[r * n + j] - x[j]);", both)), "");
    EXPECT_EQ(name_of("__global__ void k(const int* in, int* out) {\n"
                      "  if (threadIdx.x == 0) out[blockIdx.x] = in[blockIdx.x];\n}\n"),
              "");
}

// The last block combines what all have stored, and puts it before the others' results.
TEST(Recognised, ATotalBeforeTheResultsOfTheOtherBlocks) {
    EXPECT_EQ(
        name_of("__device__ unsigned done;\n__global__ void k(const int* in, volatile int* out, int n) {\n"
                "  __shared__ int s[256];\n  __shared__ bool last;\n  int t = threadIdx.x;\n" +
                kOwnIndex +
                "  s[t] = i < n ? in[i] : 0;\n  __syncthreads();\n"
                "  for (int d = 128; d; d /= 2) {\n    if (t < d) s[t] += s[t + d];\n    __syncthreads();\n  }\n"
                "  if (t == 0) {\n    out[blockIdx.x] = s[0];\n    __threadfence();\n"
                "    last = atomicAdd(&done, 1) == gridDim.x - 1;\n  }\n  __syncthreads();\n"
                "  if (last && t == 0) {\n    int sum = 0;\n    for (int b = 0; b < gridDim.x; ++b) sum += out[b];\n"
                "    out[0] = sum;\n  }\n}\n"),
        "the sum of in");
}

TEST(Recognised, NoMaximumOfWhatAreMagnitudes) {
    for (const char* type : {"int", "float", "double", "signed char"}) {
        EXPECT_EQ(name_of(reduced("max(abs(s[t]), abs(s[t + d]))", type)), "") << type;
        EXPECT_EQ(name_of(reduced("max(s[t], s[t + d])", type)), "the max of in, from 4 partial results") << type;
        EXPECT_EQ(name_of(reduced("min(abs(s[t]), abs(s[t + d]))", type)), "") << type;
        EXPECT_EQ(name_of(reduced("min(s[t], s[t + d])", type)), "the min of in, from 4 partial results") << type;
    }
}

TEST(Recognised, NoSumOfWhatIsOnlyMoved) {
    for (const std::string last : {"15", "31"}) { // of a part of a warp, and of all of it
        EXPECT_EQ(name_of("__global__ void k(int* a) {\n  __shared__ int s[32];\n  int l = threadIdx.x;\n"
                          "  s[l] = a[l];\n  __syncwarp();\n  if (l <= " +
                          last + ") a[l] = s[" + last + " - l];\n}"),
                  last == "31" ? "a in reverse" : "")
            << last;
    }
}

TEST(Recognised, SumsOfWhatIsMadeOfElements) {
    const std::string in = "const float* x, float* out, int n",
                      two = "const float* x, const float* y, float* out, int n";
    EXPECT_EQ(name_of(added(two, "i < n ? x[i] * y[i] : 0")), "the dot product of x and y");
    EXPECT_EQ(name_of(added(in, "i < n ? x[i] * x[i] : 0")), "the sum-of-squares of x");
    EXPECT_EQ(name_of(added(in, "i < n ? fabsf(x[i]) : 0")), "the sum of the magnitudes of x");
    EXPECT_EQ(name_of(added(in, "i < n ? x[i] / n : 0")), "the mean of x");
    EXPECT_EQ(name_of(added(two, "i < n ? (x[i] - y[i]) * (x[i] - y[i]) / n : 0")),
              "the mean squared error of x and y");
    EXPECT_EQ(name_of(added("const int* x, int* out, int n, int key", "i < n && x[i] >= key", "int")),
              "the number of elements of x of at least 64");
    EXPECT_EQ(name_of(added("const float* x, int* out, int n, float limit", "i < n && x[i] > limit", "int")),
              "the number of elements of x greater than limit");
}

TEST(Recognised, InAnyElementType) {
    EXPECT_EQ(name_of("#include <cuda_fp16.h>\n" + added("const half* x, const half* y, float* out, int n",
                                                         "i < n ? __half2float(x[i]) * __half2float(y[i]) : 0")),
              "the dot product of x and y");
    EXPECT_EQ(name_of(added("const signed char* x, int* out, int n", "i < n ? x[i] : 0", "int")), "the sum of x");
    EXPECT_EQ(name_of(added("const int* x, float* out, int n", "i < n ? (float)x[i] : 0")), "the sum of x");
}

TEST(Recognised, ArraysOfResults) {
    const auto each = [](const std::string& parameters, const std::string& body) {
        return name_of("__global__ void k(" + parameters + ") {\n" + kOwnIndex + body + "}\n");
    };
    EXPECT_EQ(each("const float* x, const float* y, float* z, int n", "if (i < n) z[i] = x[i] + y[i];"),
              "x + y, element by element");
    EXPECT_EQ(each("const float* x, const float* y, float* z, float a, int n", "if (i < n) z[i] = a * x[i] + y[i];"),
              "a * x + y, element by element");
    EXPECT_EQ(each("const float* x, float* z, int n", "if (i < n) z[i] = x[n - 1 - i];"), "x in reverse");
    EXPECT_EQ(each("const int* x, int* z, int n", "int s = 0; for (int k = 0; k <= i; ++k) s += x[k]; z[i] = s;"),
              "the inclusive scan of x");
    EXPECT_EQ(each("const int* x, int* bins, int n", "if (i < n) atomicAdd(&bins[x[i]], 1);"), "a histogram of x");
    EXPECT_EQ(each("const int* x, int* at, int n",
                   "if (i == 0) { int b = 0; for (int k = 1; k < n; ++k) if (x[k] > x[b]) b = k; at[0] = b; }"),
              "the index of the largest element of x");
    EXPECT_EQ(each("const float* x, float* y, int rows, int columns",
                   "if (i < rows) { float m = x[i * columns], s = 0;\n"
                   "  for (int c = 0; c < columns; ++c) m = fmaxf(m, x[i * columns + c]);\n"
                   "  for (int c = 0; c < columns; ++c) s += expf(x[i * columns + c] - m);\n"
                   "  for (int c = 0; c < columns; ++c) y[i * columns + c] = expf(x[i * columns + c] - m) / s; }"),
              "the softmax of each row of x");
    EXPECT_EQ(
        each("const float* x, float* y, int rows, int columns",
             "if (i < rows) { float s = 0; for (int c = 0; c < columns; ++c) s += x[i * columns + c]; y[i] = s; }"),
        "the sum of each row of x");
    EXPECT_EQ(each("const float* x, const float* w, float* y, int n",
                   "if (i < n) { float s = 0; for (int k = 0; k < 5; ++k) if (i + k >= 2 && i + k - 2 < n)\n"
                   "  s += x[i + k - 2] * w[k]; y[i] = s; }"),
              "the correlation of x and w, with zeros at the ends");
}

TEST(Recognised, MatrixProducts) {
    const auto of = [](const char* index) {
        return name_of(
            "__global__ void k(const float* a, const float* b, float* c, int n) {\n"
            "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
            "  if (x >= n || y >= n) return;\n  float s = 0;\n  for (int k = 0; k < n; ++k) s += a[y * n + k] * " +
            std::string(index) + ";\n  c[y * n + x] = s;\n}\n");
    };
    EXPECT_EQ(of("b[k * n + x]"), "the matrix product of a and b");
    EXPECT_EQ(of("b[x * n + k]"), "") << "of b's transpose";
    EXPECT_EQ(of("a[k * n + x]"), "") << "of a with itself";
}

// The kernels compute something else that some inputs cannot tell from a result with a name.
TEST(Recognised, NothingThatIsOnlyEqualByChance) {
    EXPECT_EQ(name_of("__global__ void k(const int* in, int* out) { if (threadIdx.x == 0)\n"
                      "  out[blockIdx.x] = in[blockIdx.x * blockDim.x] < 0 ? 1 : 32; }"),
              "")
        << "32 four times: an exclusive or of 0";
    EXPECT_EQ(
        name_of("__global__ void k(const int* in, int* out) { if (threadIdx.x == 0) out[blockIdx.x] = 0 * in[0]; }"),
        "")
        << "0, whatever the input is";
    EXPECT_EQ(name_of(added("const float* x, const float* y, float* out, int n", "i < n ? x[i] * x[i + 41] : 0")), "")
        << "y begins where x has its 42nd element";
    EXPECT_EQ(name_of(added("const float* x, float* out, int n", "i < n ? fmaxf(x[i], 0) : 0")), "")
        << "a sum as long as nothing is negative";
    EXPECT_EQ(name_of("__global__ void k(const int* x, int* out, int n) { if (threadIdx.x == 0) out[0] = x[n - 1]; }",
                      [](RunOptions& o) { ask_for_block(o, 1024); }),
              "")
        << "the last element, which is the largest only where they ascend";
    EXPECT_EQ(name_of(added("const float* x, float* out, int n, float scale", "i < n ? x[i] * scale : 0")), "")
        << "a sum only for a scale of 1";
    EXPECT_EQ(name_of(added("const int* x, int* out, int n", "i < n && x[i] == 1 << 20", "int")), "")
        << "0, which the count of n is, too";
}

// Contents that are stated are shown, and the name is still found with others.
TEST(Recognised, NoResultOfOneBit) {
    // True has the bits of the largest element, of its index, of an odd sum.
    const std::string any = "__global__ void k(const long long* v, bool* found, int n) {\n" + kOwnIndex +
                            "  if (i < n && v[i] > 5) *found = true;\n}\n";
    EXPECT_EQ(name_of(any), "");
    const std::string all = "__global__ void k(const float* v, bool* ok, int n) {\n  __shared__ bool s;\n"
                            "  if (threadIdx.x == 0) s = true;\n  __syncthreads();\n"
                            "  for (int i = threadIdx.x; i < n; i += blockDim.x) if (v[i] > 1e9f) s = false;\n"
                            "  __syncthreads();\n  if (threadIdx.x == 0) *ok = s;\n}\n";
    EXPECT_EQ(name_of(all), "");
    EXPECT_EQ(
        name_of("__global__ void k(const bool* v, bool* w, int n) {\n" + kOwnIndex + "  if (i < n) w[i] = v[i];\n}\n"),
        "a copy of v");
}

TEST(Recognised, WithStatedContents) {
    const std::string sum = reduced("s[t] + s[t + d]");
    for (const InputKind kind : {InputKind::ones, InputKind::iota, InputKind::random, InputKind::alternating}) {
        EXPECT_EQ(name_of(sum, [&](RunOptions& o) { ask_for_input(o, kind); }),
                  "the sum of in, from 4 partial results");
    }
    EXPECT_EQ(name_of(reduced("max(s[t], s[t + d])"), [](RunOptions& o) { ask_for_input(o, InputKind::ones); }),
              "the max of in, from 4 partial results");
}

} // namespace
} // namespace warptree::tests
