// Counts of flags by ballots are scans: a node for each addition, with the values that a CPU counts.
#include "app/run/kernel_run.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace warptree {
namespace {

struct FlagCase {
    const char* name;
    std::uint64_t n;
    std::uint32_t block;
    std::uint64_t combines; // of flags that reach an output or say where one goes
    const char* text;
};
void PrintTo(const FlagCase& c, std::ostream* out) { *out << c.name; }

const FlagCase kCases[] = {
    {"BelowALane", 32, 32, 31, R"(
__global__ void compact(const int* in, int* out, int* count, int n) {
    int i = threadIdx.x;
    bool keep = in[i] > 50;
    unsigned votes = __ballot_sync(~0u, keep);
    if (keep) out[__popc(votes & ((1u << i) - 1))] = in[i];
    if (i == 0) *count = __popc(votes);
}
)"},
    {"TheCountFirst", 32, 32, 31, R"(
__global__ void compact(const int* in, int* out, int* count, int n) {
    unsigned lane = threadIdx.x, below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    int x = in[lane];
    unsigned votes = __ballot_sync(0xffffffff, x > 50);
    if (lane == 0) *count = __popc(votes);
    int at = __popc(below & votes);
    if (x > 50) out[at] = x;
}
)"},
    {"UpToALane", 32, 32, 31, R"(
__global__ void ranks(const int* in, int* rank, int n) {
    unsigned lane = threadIdx.x % 32;
    unsigned votes = __ballot_sync(0xffffffff, in[lane] > 50);
    rank[lane] = __popcll((unsigned long long)votes & (0xffffffffu >> (31 - lane)));
}
)"},
    {"AboveALane", 32, 32, 30, R"(
__global__ void ranks(const int* in, int* rank, int n) {
    unsigned lane = threadIdx.x % 32;
    unsigned votes = __ballot_sync(0xffffffff, in[lane] > 50);
    rank[lane] = __popc(votes & ~((2u << lane) - 1));
}
)"},
    {"OfSomeThreads", 20, 32, 19, R"(
__global__ void compact(const int* in, int* out, int* count, int n) {
    int i = threadIdx.x;
    bool keep = i < n && in[i] > 30 && in[i] < 60;
    unsigned votes = __ballot_sync(~0u, keep);
    if (keep) out[__popc(votes & ((1u << i) - 1))] = in[i];
    if (i == 0) *count = __popc(votes);
}
)"},
    {"OfThreeWarpsByAtomics", 96, 96, 95, R"(
__global__ void compact(const int* in, int* out, int* count, int n) {
    int i = threadIdx.x, lane = i & 31;
    int flag = in[i] % 4 == 3 ? 1 : 0;
    unsigned votes = __ballot_sync(~0u, flag);
    int base = 0;
    if (lane == 0) base = atomicAdd(count, __popc(votes));
    base = __shfl_sync(~0u, base, 0);
    if (flag) out[base + __popc(votes & ((1u << lane) - 1))] = in[i];
}
)"},
};

Trace run_text(const FlagCase& c) {
    const tests::TemporaryFolder folder;
    folder.write("kernel.cu", c.text);
    RunOptions o;
    o.kernel.file = (folder.path() / "kernel.cu").string();
    o.n = c.n;
    o.kernel.n_given = true;
    o.block = c.block;
    RunControl control;
    return runs::run_kernel_file(o, control);
}

class FlagScan : public testing::TestWithParam<FlagCase> {};

TEST_P(FlagScan, IsOneNodeForEachAddition) {
    const Trace t = run_text(GetParam());
    ASSERT_TRUE(t.completed());
    EXPECT_EQ(t.tree.leaves, GetParam().combines + 1);
    EXPECT_EQ(t.tree.useful_combines, GetParam().combines);
    const Launch& l = t.launches.front();
    std::uint64_t flags = 0;
    for (const Node& node : l.nodes) {
        if (node.operation == Operation::function) { // a flag of one element
            EXPECT_LE(node.bits, 1U);
            EXPECT_LT(node.left, l.nodes.size());
            ++flags;
        } else if (node.kind == NodeKind::combine && node.operation == Operation::add) {
            ASSERT_LT(node.left, l.nodes.size());
            ASSERT_LT(node.right(), l.nodes.size());
            EXPECT_EQ(node.bits, l.nodes[node.left].bits + l.nodes[node.right()].bits);
        }
    }
    EXPECT_EQ(flags, GetParam().n);
}
INSTANTIATE_TEST_SUITE_P(Written, FlagScan, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

// What the other lanes pass to a broadcast is not read.
TEST(FlagScan, SaysNothingOfABaseThatOneLaneHas) {
    const auto findings = [](const char* base) {
        const std::string text = std::string(R"(
__global__ void compact(const int* in, int* out, int* count, int n) {
    int lane = threadIdx.x, base;
    unsigned votes = __ballot_sync(~0u, in[lane] > 50);
    if (lane == 0) base = atomicAdd(count, __popc(votes));
    base = )") + base + R"(;
    if (in[lane] > 50) out[base + __popc(votes & ((1u << lane) - 1))] = in[lane];
}
)";
        return run_text({"", 32, 32, 0, text.c_str()}).launches.front().findings.size();
    };
    EXPECT_EQ(findings("__shfl_sync(~0u, base, 0)"), 0U);
    EXPECT_GE(findings("__shfl_up_sync(~0u, base, 1)"), 1U);
}

// Flags of two ballots are not added to each other's.
TEST(FlagScan, OfTwoBallotsAreTwo) {
    const FlagCase c{"", 32, 32, 0, R"(
__global__ void split(const int* in, int* counts, int n) {
    int x = in[threadIdx.x];
    unsigned a = __ballot_sync(~0u, x > 50), b = __ballot_sync(~0u, x > 100);
    if (threadIdx.x == 0) { counts[0] = __popc(a); counts[1] = __popc(b); counts[2] = __popc(a & b); }
}
)"};
    const Trace t = run_text(c);
    EXPECT_EQ(t.tree.leaves, 32U);
    EXPECT_GE(t.tree.useful_combines, 62U);
    for (const Output& o : t.launches.front().outputs) {
        const std::uint64_t expected = o.index == 0 ? 17 : 7; // of the first 32 primes
        EXPECT_EQ(t.launches.front().nodes[o.node].bits, expected) << o.index;
    }
}

} // namespace
} // namespace warptree
