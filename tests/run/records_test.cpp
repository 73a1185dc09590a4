// Merges of records, written as people write them, are one node each: n - 1 for n elements.
#include "app/run/array_fill.hpp"
#include "app/run/kernel_run.hpp"
#include "app/trace/explain/merged_parts.hpp"
#include "app/trace/explain/report.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>

namespace warptree {
namespace {

struct RecordCase {
    const char* name;
    std::uint64_t n; // elements, and threads of the one block
    const char* text;
    std::uint64_t copies = 1; // threads that each make all of it
};
void PrintTo(const RecordCase& c, std::ostream* out) { *out << c.name; }

const RecordCase kRecords[] = {
    {"AMinimumWithItsMaximumInAStructure", 64, R"(
struct MinMax { int lo, hi; };
__global__ void minmax(const int* in, MinMax* out, int n) {
    __shared__ MinMax s[64];
    int t = threadIdx.x;
    s[t] = {in[t], in[t]};
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k) {
            if (s[t + k].lo < s[t].lo) s[t].lo = s[t + k].lo;
            if (s[t + k].hi > s[t].hi) s[t].hi = s[t + k].hi;
        }
        __syncthreads();
    }
    if (t == 0) *out = s[0];
}
)"},
    {"MomentsInAStructure", 64, R"(
struct Moments { float n, mean, m2; };
__device__ Moments merge(const Moments& a, const Moments& b) {
    float n = a.n + b.n;
    float delta = b.mean - a.mean;
    Moments r;
    r.n = n;
    r.mean = a.mean + delta * b.n / n;
    r.m2 = a.m2 + b.m2 + delta * delta * a.n * b.n / n;
    return r;
}
__global__ void variance(const float* in, float* mean, float* var, int n) {
    __shared__ Moments part[64];
    int t = threadIdx.x;
    part[t].n = 1; part[t].mean = in[t]; part[t].m2 = 0;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) part[t] = merge(part[t], part[t + s]);
        __syncthreads();
    }
    if (t == 0) { *mean = part[0].mean; *var = part[0].m2 / n; }
}
)"},
    {"MomentsByShuffles", 32, R"(
__global__ void variance(const float* in, float* out, int n) {
    float count = 0, mean = 0, m2 = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        count += 1;
        float d = in[i] - mean;
        mean += d / count;
        m2 += d * (in[i] - mean);
    }
    for (int d = 16; d > 0; d >>= 1) {
        float c2 = __shfl_down_sync(~0u, count, d), mean2 = __shfl_down_sync(~0u, mean, d), s2 = __shfl_down_sync(~0u, m2, d);
        float delta = mean2 - mean, c = count + c2;
        if (c > 0) {
            mean += delta * c2 / c;
            m2 += s2 + delta * delta * count * c2 / c;
            count = c;
        }
    }
    if (threadIdx.x == 0) { out[0] = mean; out[1] = m2 / count; }
}
)"},
    {"ACompensatedSumByOneThread", 64, R"(
__global__ void kahan(const float* in, float* out, int n) {
    float sum = 0, c = 0;
    for (int i = 0; i < n; i++) {
        float y = in[i] - c;
        float t = sum + y;
        c = (t - sum) - y;
        sum = t;
    }
    out[threadIdx.x] = sum;
}
)",
     64},
    {"CompensatedPairsByReference", 64, R"(
struct Pair { float hi, lo; };
__device__ void add(Pair& a, Pair b) {
    float s = a.hi + b.hi;
    float bb = s - a.hi;
    float err = (a.hi - (s - bb)) + (b.hi - bb);
    err += a.lo + b.lo;
    a.hi = s + err;
    a.lo = err - (a.hi - s);
}
__global__ void kahan(const float* in, float* out, int n) {
    __shared__ Pair p[64];
    int t = threadIdx.x;
    p[t].hi = in[t]; p[t].lo = 0;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) add(p[t], p[t + s]);
        __syncthreads();
    }
    if (t == 0) *out = p[0].hi + p[0].lo;
}
)"},
    {"AnOnlineSoftmaxInTwoArrays", 64, R"(
__global__ void softmax_sum(const float* in, float* out, int n) {
    __shared__ float m[64], d[64];
    int t = threadIdx.x;
    m[t] = in[t]; d[t] = 1.0f;
    __syncthreads();
    for (int s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0) {
            float big = fmaxf(m[t], m[t + s]);
            d[t] = d[t] * expf(m[t] - big) + d[t + s] * expf(m[t + s] - big);
            m[t] = big;
        }
        __syncthreads();
    }
    if (t == 0) { out[0] = m[0]; out[1] = d[0]; }
}
)"},
    {"ASumWithTheSquaresByShuffles", 32, R"(
__global__ void moments(const float* in, float* out, int n) {
    float s = in[threadIdx.x], q = s * s;
    for (int d = 16; d > 0; d >>= 1) {
        s += __shfl_xor_sync(~0u, s, d);
        q += __shfl_xor_sync(~0u, q, d);
    }
    if (threadIdx.x == 0) { out[0] = s; out[1] = q; }
}
)"},
    {"AComplexProduct", 64, R"(
__global__ void product(const float2* in, float2* out, int n) {
    __shared__ float2 z[64];
    int t = threadIdx.x;
    z[t] = in[t];
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) {
            float2 a = z[t], b = z[t + s];
            z[t] = make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
        }
        __syncthreads();
    }
    if (t == 0) *out = z[0];
}
)"},
    {"ALinearRecurrence", 64, R"(
struct Affine { float a, b; };
__global__ void compose(const float* a, const float* b, float* out, int n) {
    __shared__ Affine f[64];
    int t = threadIdx.x;
    f[t].a = a[t]; f[t].b = b[t];
    __syncthreads();
    for (int s = 1; s < blockDim.x; s *= 2) {
        int i = 2 * s * t;
        if (i + s < blockDim.x) {
            Affine x = f[i], y = f[i + s];
            f[i] = {x.a * y.a, y.a * x.b + y.b};
        }
        __syncthreads();
    }
    if (t == 0) { out[0] = f[0].a; out[1] = f[0].b; }
}
)"},
    {"AnIndexInTwoArrays", 64, R"(
__global__ void argmax(const float* in, int* out, int n) {
    __shared__ float value[64];
    __shared__ int index[64];
    int t = threadIdx.x;
    value[t] = in[t];
    index[t] = t;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s && value[t + s] > value[t]) {
            value[t] = value[t + s];
            index[t] = index[t + s];
        }
        __syncthreads();
    }
    if (t == 0) out[0] = index[0];
}
)"},
    {"AnIndexByShufflesTiesByTheLower", 32, R"(
__global__ void argmax(const float* in, int* out, int n) {
    float v = in[threadIdx.x];
    int i = threadIdx.x;
    for (int d = 16; d > 0; d /= 2) {
        float ov = __shfl_down_sync(0xffffffff, v, d);
        int oi = __shfl_down_sync(0xffffffff, i, d);
        if (ov > v || (ov == v && oi < i)) { v = ov; i = oi; }
    }
    if (threadIdx.x == 0) *out = i;
}
)"},
    {"AnIndexInTwoArraysTiesByTheLower", 64, R"(
__global__ void argmax(const float* in, int* out, int n) {
    __shared__ float v[64];
    __shared__ int at[64];
    int t = threadIdx.x;
    v[t] = in[t]; at[t] = t;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) {
            if (v[t + s] > v[t] || (v[t + s] == v[t] && at[t + s] < at[t])) {
                v[t] = v[t + s];
                at[t] = at[t + s];
            }
        }
        __syncthreads();
    }
    if (t == 0) *out = at[0];
}
)"},
    {"AnIndexInTwoArraysEqualOnesFirst", 64, R"(
__global__ void argmin(const int* in, int* out, int n) {
    __shared__ int v[64], at[64];
    int t = threadIdx.x;
    v[t] = in[t]; at[t] = t;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s && ((v[t + s] == v[t] && at[t + s] < at[t]) || v[t + s] < v[t])) {
            at[t] = at[t + s];
            v[t] = v[t + s];
        }
        __syncthreads();
    }
    if (t == 0) *out = at[0];
}
)"},
    {"AnIndexInAStructureTiesByTheLower", 64, R"(
struct Best { float v; int i; };
__global__ void argmax(const float* in, int* out, int n) {
    __shared__ Best s[64];
    int t = threadIdx.x;
    s[t].v = in[t]; s[t].i = t;
    __syncthreads();
    for (int k = 32; k > 0; k >>= 1) {
        if (t < k)
            if (s[t + k].v > s[t].v || (s[t + k].v == s[t].v && s[t + k].i < s[t].i)) s[t] = s[t + k];
        __syncthreads();
    }
    if (t == 0) *out = s[0].i;
}
)"},
    {"AnIndexUnlessItsOwnIsBetter", 64, R"(
__global__ void argmax(const float* in, int* out, int n) {
    __shared__ float v[64];
    __shared__ int at[64];
    int t = threadIdx.x;
    v[t] = in[t]; at[t] = t;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) {
            if (v[t] > v[t + s] || (v[t] == v[t + s] && at[t] <= at[t + s])) {
            } else {
                v[t] = v[t + s];
                at[t] = at[t + s];
            }
        }
        __syncthreads();
    }
    if (t == 0) *out = at[0];
}
)"},
    {"AnIndexWhoseTiesAreAnElse", 64, R"(
__global__ void argmin(const float* in, int* out, int n) {
    __shared__ float v[64];
    __shared__ int at[64];
    int t = threadIdx.x;
    v[t] = in[t]; at[t] = t;
    __syncthreads();
    for (int s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0) {
            if (v[t + s] < v[t]) { v[t] = v[t + s]; at[t] = at[t + s]; }
            else if (v[t + s] == v[t] && at[t + s] < at[t]) { at[t] = at[t + s]; }
        }
        __syncthreads();
    }
    if (t == 0) *out = at[0];
}
)"},
    {"AnIndexByAFlagOfTies", 32, R"(
__global__ void argmax(const float* in, int* out, int n) {
    float v = in[threadIdx.x];
    int i = threadIdx.x;
    for (int d = 16; d > 0; d /= 2) {
        float ov = __shfl_down_sync(0xffffffff, v, d);
        int oi = __shfl_down_sync(0xffffffff, i, d);
        bool take = ov > v || (ov == v && oi < i);
        if (take) {
            v = ov;
            i = oi;
        }
    }
    if (threadIdx.x == 0) *out = i;
}
)"},
    {"AnIndexByAFunctionThatCompares", 32, R"(
struct Best { float key; int at; };
__device__ bool less(const Best& a, const Best& b) { return a.key < b.key || (a.key == b.key && a.at > b.at); }
__global__ void argmax(const float* in, Best* out, int n) {
    Best best = {in[threadIdx.x], (int)threadIdx.x};
    for (int d = 16; d > 0; d /= 2) {
        Best other = {__shfl_down_sync(~0u, best.key, d), __shfl_down_sync(~0u, best.at, d)};
        if (less(best, other)) best = other;
    }
    if (threadIdx.x == 0) *out = best;
}
)"},
    {"AnIndexCopiedWithItsStructure", 64, R"(
struct Best { float v; int i; };
__global__ void argmax(const float* in, int* out, int n) {
    __shared__ Best s[64];
    int t = threadIdx.x;
    s[t].v = in[t]; s[t].i = t;
    __syncthreads();
    for (int k = 32; k > 0; k >>= 1) {
        if (t < k && s[t + k].v > s[t].v) s[t] = s[t + k];
        __syncthreads();
    }
    if (t == 0) *out = s[0].i;
}
)"},
    {"AnIndexOfOneThread", 64, R"(
__global__ void argmax(const float* in, int* out, int n) {
    int best = 0;
    float most = in[0];
    for (int i = 1; i < n; i++)
        if (in[i] > most) { most = in[i]; best = i; }
    if (threadIdx.x == 0) *out = best;
}
)",
     1},
    {"AnIndexBesideADoubleInAStructure", 64, R"(
struct Best { double v; unsigned i; };
__global__ void argmax(const double* in, unsigned* out, int n) {
    extern __shared__ Best sh[];
    unsigned t = threadIdx.x;
    sh[t].v = in[t]; sh[t].i = t;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s && sh[t + s].v > sh[t].v) { sh[t].v = sh[t + s].v; sh[t].i = sh[t + s].i; }
        __syncthreads();
    }
    if (!t) *out = sh[0].i;
}
)"},
    {"AnIndexByAFlag", 32, R"(
__global__ void argmax(const int* in, int* out, int n) {
    int v = in[threadIdx.x], i = threadIdx.x;
    for (int d = 16; d > 0; d /= 2) {
        int ov = __shfl_xor_sync(~0u, v, d), oi = __shfl_xor_sync(~0u, i, d);
        bool take = ov > v;
        i = take ? oi : i;
        v = take ? ov : v;
    }
    if (threadIdx.x == 0) *out = i;
}
)"},
    {"AnIndexThroughPointers", 64, R"(
__device__ void keep_smaller(float* v, int* i, float other, int at) {
    if (other < *v) { *v = other; *i = at; }
}
__global__ void argmin(const float* in, float* best, int* where, int n) {
    __shared__ float v[64]; __shared__ int ix[64];
    int t = threadIdx.x;
    float mine = 3e38f; int at = -1;
    for (int i = t; i < n; i += blockDim.x) keep_smaller(&mine, &at, in[i], i);
    v[t] = mine; ix[t] = at;
    __syncthreads();
    for (int s = blockDim.x >> 1; s; s >>= 1) {
        if (t < s) keep_smaller(&v[t], &ix[t], v[t + s], ix[t + s]);
        __syncthreads();
    }
    if (!t) { *best = v[0]; *where = ix[0]; }
}
)"},
    {"AnIndexInAStructure", 64, R"(
struct Best { float value; int index; };
__device__ Best better(Best a, Best b) { return b.value > a.value ? b : a; }
__global__ void argmax(const float* in, float* out_value, int* out_index, int n) {
    __shared__ Best best[64];
    int t = threadIdx.x;
    best[t].value = t < n ? in[t] : -1e30f;
    best[t].index = t;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) best[t] = better(best[t], best[t + s]);
        __syncthreads();
    }
    if (t == 0) { *out_value = best[0].value; *out_index = best[0].index; }
}
)"},
};

Trace run_text(const std::string& text, std::uint64_t n, std::uint32_t block) {
    const tests::TemporaryFolder folder;
    RunOptions o;
    folder.write("kernel.cu", text);
    o.kernel.file = (folder.path() / "kernel.cu").string();
    o.n = n;
    o.kernel.n_given = true;
    o.block = block;
    RunControl control;
    return runs::run_kernel_file(o, control);
}

// The last useful combine.
std::uint32_t root_of(const Launch& l) {
    std::uint32_t root = 0;
    for (std::uint32_t i = 0; i < l.nodes.size(); ++i) {
        root = l.nodes[i].useful && l.nodes[i].kind == NodeKind::combine ? i : root;
    }
    return root;
}

class Records : public testing::TestWithParam<RecordCase> {};
INSTANTIATE_TEST_SUITE_P(Written, Records, testing::ValuesIn(kRecords),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(Records, MergeInOneNode) {
    const RecordCase& c = GetParam();
    const Trace t = run_text(c.text, c.n, static_cast<std::uint32_t>(c.n));
    ASSERT_TRUE(t.completed());
    EXPECT_EQ(t.tree.leaves, c.n);
    EXPECT_EQ(t.tree.useful_combines, c.copies * (c.n - 1));
    const Launch& l = t.launches.front();
    std::uint64_t combines = 0;
    for (const Node& node : l.nodes) {
        combines += node.kind == NodeKind::combine ? 1 : 0;
    }
    EXPECT_EQ(combines, l.totals().combines) << "the counters say what the nodes are";
    EXPECT_TRUE(std::is_sorted(l.parts.begin(), l.parts.end(),
                               [](const NodePart& a, const NodePart& b) { return a.node < b.node; }));
    if (std::string_view(c.name).starts_with("AnIndex")) {
        EXPECT_EQ(l.nodes[root_of(l)].operation, Operation::merge) << "with its index";
    }
    for (const NodePart& part : l.parts) {
        ASSERT_LT(part.node, l.nodes.size());
        EXPECT_EQ(l.nodes[part.node].operation, Operation::merge);
    }
}

TEST(MergedParts, AreNamedAsTheSourceNamesThem) {
    const auto names = [](std::string_view record) {
        const auto* const c = std::find_if(std::begin(kRecords), std::end(kRecords),
                                           [&](const RecordCase& r) { return record == r.name; });
        const Trace t = run_text(c->text, c->n, static_cast<std::uint32_t>(c->n));
        const Launch& l = t.launches.front();
        std::set<std::string> all;
        for (std::uint32_t i = 0; i < l.nodes.size(); ++i) {
            for (const MergedPart& part : merged_parts(t, l, i)) {
                all.insert(part.name);
            }
        }
        return all;
    };
    EXPECT_EQ(names("MomentsInAStructure"), (std::set<std::string>{"mean", "m2"}));
    EXPECT_EQ(names("AMinimumWithItsMaximumInAStructure"), (std::set<std::string>{"lo", "hi"}));
    EXPECT_EQ(names("ASumWithTheSquaresByShuffles"), (std::set<std::string>{"s", "q"}));
}

// The parts of the last merge are the results: a mean and the sum of squared distances from it.
TEST(MergedParts, HaveTheValuesOfTheRecord) {
    const auto* const c = std::find_if(std::begin(kRecords), std::end(kRecords), [](const RecordCase& r) {
        return std::string_view(r.name) == "MomentsInAStructure";
    });
    const Trace t = run_text(c->text, c->n, 64);
    const Launch& l = t.launches.front();
    std::uint32_t root = kNone;
    for (std::uint32_t i = 0; i < l.nodes.size(); ++i) {
        root = l.nodes[i].useful && l.nodes[i].operation == Operation::merge ? i : root;
    }
    double sum = 0, squares = 0, count = 0;
    for (const Node& node : l.nodes) {
        if (node.kind == NodeKind::leaf) {
            sum += runs::as_number(node.type, node.bits);
            ++count;
        }
    }
    for (const Node& node : l.nodes) {
        const double far = runs::as_number(node.type, node.bits) - sum / count;
        squares += node.kind == NodeKind::leaf ? far * far : 0;
    }
    for (const MergedPart& part : merged_parts(t, l, root)) {
        EXPECT_NEAR(std::stod(part.value), part.name == "mean" ? sum / count : squares, 1e-4 * squares) << part.name;
    }
}

// What looks alike and is none: each application of the operator stays a node.
const RecordCase kNoRecords[] = {
    {"TwoSumsOfDifferentElements", 64, R"(
__global__ void sums(const float* in, float* out, int n) {
    float a = 0, b = 0;
    for (int i = 0; i < n; i += 2) { a += in[i]; b += in[i + 1]; }
    out[0] = a; out[1] = b;
}
)"},
    {"TwoSumsOneAfterTheOther", 32, R"(
__global__ void sums(const float* in, float* out, int n) {
    float s = in[threadIdx.x], q = s * s;
    for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    for (int d = 16; d > 0; d >>= 1) q += __shfl_xor_sync(~0u, q, d);
    if (threadIdx.x == 0) { out[0] = s; out[1] = q; }
}
)"},
    {"AnElementAddedTwice", 64, R"(
__global__ void sum(const float* in, float* out, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) { s += in[i]; s += in[i]; }
    out[0] = s;
}
)"},
    {"SumAndDifferenceThatPart", 64, R"(
__global__ void haar(const float* in, float* out, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int w = 32; w > 0; w /= 2) {
        float a = 0, b = 0;
        if (t < w) { a = s[2 * t]; b = s[2 * t + 1]; }
        __syncthreads();
        if (t < w) { s[t] = a + b; out[w + t] = a - b; }
        __syncthreads();
    }
    if (t == 0) out[0] = s[0];
}
)"},
    {"ABinarySearch", 64, R"(
__global__ void find(const int* in, int* out, int n) {
    int low = 0, high = n, x = in[threadIdx.x];
    while (low < high) {
        int middle = (low + high) / 2;
        if (in[middle] < x) low = middle + 1; else high = middle;
    }
    out[threadIdx.x] = low;
}
)"},
    {"ASortOfPairs", 32, R"(
__global__ void sort(const int* in, int* out, int n) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int k = 0; k < 32; k++) {
        int i = 2 * t + k % 2;
        if (t < 16 && i + 1 < 32) {
            int a = s[i], b = s[i + 1];
            s[i] = min(a, b);
            s[i + 1] = max(a, b);
        }
        __syncthreads();
    }
    out[t] = s[t];
}
)"},
    {"AFourFoldSum", 64, R"(
__global__ void sum(const float4* in, float* out, int n) {
    float4 v = in[threadIdx.x];
    float s = v.x + v.y + v.z + v.w;
    for (int d = 8; d > 0; d >>= 1) s += __shfl_down_sync(~0u, s, d);
    if (threadIdx.x == 0) *out = s;
}
)"},
};
class NoRecords : public testing::TestWithParam<RecordCase> {};
INSTANTIATE_TEST_SUITE_P(Written, NoRecords, testing::ValuesIn(kNoRecords),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(NoRecords, StayAsTheyAre) {
    const RecordCase& c = GetParam();
    const Trace t = run_text(c.text, c.n, static_cast<std::uint32_t>(std::min<std::uint64_t>(c.n, 32)));
    ASSERT_TRUE(t.completed());
    EXPECT_TRUE(t.launches.front().parts.empty());
}

TEST(MissingTree, IsSaidWithItsReason) {
    const auto said = [](const char* text) { return report_text(run_text(text, 32, 32)); };
    EXPECT_THAT(said(R"(
__global__ void count(const int* in, int* out, int n) {
    __shared__ unsigned votes;
    unsigned mine = __ballot_sync(~0u, in[threadIdx.x] > 50);
    if (threadIdx.x == 0) votes = mine;
    __syncwarp();
    if (threadIdx.x == 1) *out = __popc(votes);
}
)"),
                testing::HasSubstr("not recognised as a reduction: what is counted in a ballot is not followed"));
    EXPECT_THAT(
        said("__global__ void twice(const int* in, int* out, int n) { out[threadIdx.x] = 2 * in[threadIdx.x]; }"),
        testing::HasSubstr("not recognised as a reduction: nothing combines two values made of elements"));
    EXPECT_THAT(
        said("__global__ void pi(double* out, int n) {\n  __shared__ double s[32];\n  int t = threadIdx.x;\n"
             "  double x = (t + 0.5) / n;\n  s[t] = 4 / (1 + x * x);\n"
             "  for (int d = 16; d > 0; d /= 2) {\n    __syncthreads();\n    if (t < d) s[t] += s[t + d];\n  }\n"
             "  if (t == 0) *out = s[0] / n;\n}\n"),
        testing::HasSubstr("no tree: what it stores is computed, not made of elements that it loads"));
    EXPECT_THAT(said(kRecords[0].text), testing::Not(testing::HasSubstr("not recognised")));
}

} // namespace
} // namespace warptree
