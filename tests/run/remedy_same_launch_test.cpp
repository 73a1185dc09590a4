// A change is offered only where the very launch that is shown has the finding no more, and one with more elements neither.
#include "app/run/program/run.hpp"
#include "app/run/remedy/remedy.hpp"
#include "tests/support/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

namespace warptree::tests {
namespace {

TEST(RemedySameLaunch, HasNotWhatItMends) {
    RunOptions o;
    o.kernel.text = "#define R 2\n#define BLOCK 64\n__global__ void k(const int* in, int* out, int n) {\n"
                    "    __shared__ int tile[BLOCK + 2 * R];\n    int g = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "    int l = threadIdx.x + R;\n    tile[l] = in[g];\n    if (threadIdx.x < R) {\n"
                    "        tile[l - R] = in[g - R];\n        tile[l + BLOCK] = in[g + BLOCK];\n    }\n"
                    "    __syncthreads();\n    int sum = 0;\n    for (int o = -R; o <= R; ++o) sum += tile[l + o];\n"
                    "    out[g] = sum;\n}\n";
    RunControl control;
    std::optional<runs::Guess> guess;
    const Trace trace = runs::run_kernel_file(o, guess, control);
    ASSERT_FALSE(kinds(trace).empty());
    for (const runs::FindingPlace& place : runs::finding_places(trace)) {
        const auto remedy = runs::certain_remedy(o, trace, place, control);
        if (!remedy) {
            continue;
        }
        RunOptions changed = o;
        changed.kernel.text = remedy->text;
        std::optional<runs::Guess> same = guess;
        const Finding& f = runs::finding_at(trace, place);
        const Trace again = runs::run_kernel_file(changed, same, control);
        EXPECT_TRUE(std::ranges::none_of(again.launches.front().findings, [&](const Finding& now) {
            return now.kind == f.kind && now.array == f.array && now.index == f.index;
        })) << remedy->text;
    }
}

// 32 elements have one warp at work, more have several.
TEST(RemedySameLaunch, OrdersNotOneWarpAlone) {
    const auto mended = [](const std::string& parameters, const std::string& condition) {
        RunOptions o;
        o.kernel.text = "__global__ void k(int* a, const int* b, int n" + parameters +
                        ") {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (" + condition +
                        ") {\n        int v = a[i + 1];\n        a[i] = v + b[i];\n    }\n}\n";
        RunControl control;
        const Trace trace = runs::run_kernel_file(o, control);
        EXPECT_TRUE(kinds(trace).contains(FindingKind::race_global)) << condition;
        return runs::first_remedy(o, trace, std::nullopt, control).has_value();
    };
    EXPECT_FALSE(mended(", int m", "i + 1 < n && b[i] != m"));
    EXPECT_FALSE(mended("", "i + 1 < n"));
}

TEST(RemedySameLaunch, OfAGraphsNeighboursIsNone) {
    RunOptions o;
    o.kernel.file = "program.cu";
    o.kernel.text =
        "__global__ void level(const int* row, const int* next, int* dist, int at, int n) {\n"
        "    int v = blockIdx.x * blockDim.x + threadIdx.x;\n    if (v >= n || dist[v] != at) return;\n"
        "    for (int e = row[v]; e < row[v + 1]; ++e) {\n        int u = next[e];\n"
        "        if (dist[u] < 0 || dist[u] > at + e) {\n            dist[u] = at + e;\n        }\n    }\n}\n"
        "int main() {\n    int row[] = {0, 2, 4, 6, 8}, next[] = {1, 2, 3, 0, 3, 0, 1, 2};\n"
        "    int dist[] = {-1, 0, 0, -1}, *r, *x, *d;\n    cudaMalloc(&r, sizeof row);\n"
        "    cudaMalloc(&x, sizeof next);\n    cudaMalloc(&d, sizeof dist);\n"
        "    cudaMemcpy(r, row, sizeof row, cudaMemcpyHostToDevice);\n"
        "    cudaMemcpy(x, next, sizeof next, cudaMemcpyHostToDevice);\n"
        "    cudaMemcpy(d, dist, sizeof dist, cudaMemcpyHostToDevice);\n    level<<<1, 32>>>(r, x, d, 0, 4);\n"
        "    cudaMemcpy(dist, d, sizeof dist, cudaMemcpyDeviceToHost);\n"
        "    cudaFree(r);\n    cudaFree(x);\n    cudaFree(d);\n}\n";
    RunControl control;
    const auto own = runs::run_own_launches(o, control);
    ASSERT_TRUE(own.trace.has_value());
    ASSERT_TRUE(kinds(*own.trace).contains(FindingKind::race_global));
    EXPECT_FALSE(runs::first_remedy(runs::in_same_block(*own.trace), *own.trace, std::nullopt, control).has_value());
}

} // namespace
} // namespace warptree::tests
