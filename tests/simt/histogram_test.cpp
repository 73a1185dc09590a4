// Counts added at an address computed from elements: each bin's tree has the elements counted in it.
#include "tests/support/kernel_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace warptree::tests {
namespace {

using Elements = std::multiset<std::uint32_t>;

// The elements at the leaves below a node, one by one.
Elements leaves(const Launch& launch, std::uint32_t at) {
    if (at == kNone) {
        return {};
    }
    const Node& node = launch.nodes[at];
    if (node.kind == NodeKind::leaf) {
        return {node.element()};
    }
    if (!has_operands(node.kind)) {
        return {};
    }
    Elements all = leaves(launch, node.left);
    all.merge(leaves(launch, node.right()));
    return all;
}

std::map<std::uint32_t, Elements> bins(const Trace& trace) {
    std::map<std::uint32_t, Elements> all;
    const Launch& launch = trace.launches.front();
    for (const Output& output : launch.outputs) {
        all[output.index].merge(leaves(launch, output.node));
    }
    return all;
}

// Blocks of 64 threads, one element per thread; element i is i.
Trace histogram(const std::string& body, unsigned blocks = 2) {
    return run_text(fmt::format("__global__ void histogram(const int* in, int* out) {{\n"
                                "  const int i = blockIdx.x * 64 + threadIdx.x;\n{}}}\n",
                                body),
                    [blocks](RunOptions& o) {
                        o.block = 64;
                        o.n = 64 * blocks;
                        o.kernel.grid = std::to_string(blocks);
                    });
}

void expect_bins(const Trace& trace, const std::function<std::uint32_t(std::uint32_t)>& bin) {
    std::map<std::uint32_t, Elements> wanted;
    for (std::uint32_t i = 0; i < trace.options.n; ++i) {
        wanted[bin(i)].insert(i);
    }
    auto found = bins(trace);
    std::erase_if(found, [](const auto& it) { return it.second.empty(); });
    EXPECT_EQ(found, wanted);
    const std::vector<int> out = values<int>(trace, "out");
    for (const auto& [at, elements] : wanted) {
        EXPECT_EQ(out.at(at), static_cast<int>(elements.size())) << "bin " << at;
    }
}

TEST(Histogram, OfGlobalBinsHasATreeABin) {
    expect_bins(histogram("  atomicAdd(&out[in[i] % 8], 1);\n"), [](std::uint32_t x) { return x % 8; });
    expect_bins(histogram("  atomicAdd(&out[in[i]], 1);\n"), [](std::uint32_t x) { return x; });
}

TEST(Histogram, OfSharedBinsKeepsTheElementsOfEach) {
    const Trace trace = histogram("  __shared__ int bins[8];\n"
                                  "  if (threadIdx.x < 8) bins[threadIdx.x] = 0;\n"
                                  "  __syncthreads();\n"
                                  "  atomicAdd(&bins[in[i] * 5 / 3 % 8], 1);\n"
                                  "  __syncthreads();\n"
                                  "  if (threadIdx.x < 8) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);\n");
    expect_bins(trace, [](std::uint32_t x) { return x * 5 / 3 % 8; });
    EXPECT_GE(trace.tree.leaves, 128U);
}

TEST(Histogram, OfBinsThatAreComputed) {
    expect_bins(histogram("  unsigned x = in[i];\n  atomicAdd(&out[(x >> 1) & 3], 1);\n"),
                [](std::uint32_t x) { return x / 2 % 4; });
    expect_bins(histogram("  atomicAdd(out + in[i] % 5 + 3, 1);\n"), [](std::uint32_t x) { return x % 5 + 3; });
    expect_bins(histogram("  unsigned char x = in[i] % 8;\n  atomicAdd(&out[7 - x], 1);\n"),
                [](std::uint32_t x) { return 7 - x % 8; });
}

// One array of bins per warp, with two indices.
TEST(Histogram, OfBinsOfEachWarp) {
    expect_bins(histogram("  __shared__ int bins[2][8];\n"
                          "  if (threadIdx.x < 16) bins[threadIdx.x / 8][threadIdx.x % 8] = 0;\n"
                          "  __syncthreads();\n"
                          "  atomicAdd(&bins[threadIdx.x / 32][in[i] % 8], 1);\n"
                          "  __syncthreads();\n"
                          "  if (threadIdx.x < 8)\n"
                          "    atomicAdd(&out[threadIdx.x], bins[0][threadIdx.x] + bins[1][threadIdx.x]);\n"),
                [](std::uint32_t x) { return x % 8; });
}

// Each element counts as 1, whatever its value.
TEST(Histogram, CombinesCountsNotElements) {
    const Trace trace = histogram("  atomicAdd(&out[in[i]], 1);\n", 1);
    const Launch& launch = trace.launches.front();
    ASSERT_EQ(launch.outputs.size(), 64U);
    for (const Output& output : launch.outputs) {
        const Node& node = launch.nodes.at(output.node);
        EXPECT_EQ(node.kind, NodeKind::product);
        EXPECT_EQ(node.bits, 1U);
        EXPECT_EQ(launch.nodes.at(node.left).kind, NodeKind::leaf);
    }
}

// A ticket is not a count of elements: its old value is used. Nor is an addition at an address that no element gives.
TEST(Histogram, IsNotWhatOnlyLooksLikeIt) {
    const Trace ticket = histogram("  out[atomicAdd(&out[64 + in[i]], 1)] = i;\n", 1);
    for (const Output& output : ticket.launches.front().outputs) {
        EXPECT_EQ(output.node, kNone);
    }
    const Trace counter = histogram("  if (in[i] > 3) atomicAdd(&out[0], 1);\n", 1);
    for (const Output& output : counter.launches.front().outputs) {
        EXPECT_EQ(output.node, kNone);
    }
}

} // namespace
} // namespace warptree::tests
