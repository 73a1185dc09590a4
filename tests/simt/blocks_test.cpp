// Barriers of every kind, cooperative groups, and blocks that wait for one another.
#include "tests/support/kernel_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree::tests {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const WarpOrder kOrders[] = {WarpOrder::in_order, WarpOrder::reverse, WarpOrder::random};

TEST(Barriers, CountAndVote) {
    const auto run = [](const std::string& call) {
        return values<int>(
            run_text("__global__ void k(int* out) {\n  int t = threadIdx.x;\n  out[t] = " + call + ";\n}",
                     [](RunOptions& o) { o.block = 96; }),
            "out");
    };
    EXPECT_THAT(run("__syncthreads_count(t % 4 == 0)"), Each(24));
    EXPECT_THAT(run("__syncthreads_and(t < 96) != 0"), Each(1));
    EXPECT_THAT(run("__syncthreads_and(t < 95) != 0"), Each(0));
    EXPECT_THAT(run("__syncthreads_or(t == 95) != 0"), Each(1));
    EXPECT_THAT(run("__syncthreads_or(t == 96) != 0"), Each(0));
}

// Warps 0 and 1 synchronize on barrier 1, warps 2 and 3 on barrier 2; neither pair waits for the other.
TEST(Barriers, NamedOnesLetPairsOfWarpsMeet) {
    for (const WarpOrder order : kOrders) {
        const Trace trace = run_text("__global__ void k(int* out) {\n  __shared__ int s[128]; int t = threadIdx.x;\n"
                                     "  s[t] = t;\n  if (t < 64) asm volatile(\"bar.sync 1, 64;\" ::: \"memory\");\n"
                                     "  else asm volatile(\"bar.sync 2, 64;\" ::: \"memory\");\n"
                                     "  out[t] = s[t ^ 32];\n}",
                                     [&](RunOptions& o) {
                                         o.block = 128;
                                         o.order = order;
                                     });
        EXPECT_THAT(kinds(trace), IsEmpty()) << name(order);
        const auto out = values<int>(trace, "out");
        for (std::size_t t = 0; t < 128; ++t) {
            EXPECT_EQ(out[t], static_cast<int>(t ^ 32U));
        }
        std::set<int> numbers;
        for (const Barrier& b : trace.launches.front().barriers) {
            numbers.insert(b.number);
            EXPECT_EQ(b.expected, 64);
        }
        EXPECT_THAT(numbers, ElementsAre(1, 2));
    }
}

TEST(CooperativeGroups, ReduceAndScanInTiles) {
    for (const unsigned width : {4U, 8U, 16U, 32U}) {
        const Trace trace =
            run_text(fmt::format("#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
                                 "#include <cooperative_groups/scan.h>\nnamespace cg = cooperative_groups;\n"
                                 "__global__ void k(int* sum, int* before, int* rank) {{\n  int t = threadIdx.x;\n"
                                 "  auto tile = cg::tiled_partition<{}>(cg::this_thread_block());\n"
                                 "  sum[t] = cg::reduce(tile, t, cg::plus<int>());\n"
                                 "  before[t] = cg::exclusive_scan(tile, t, cg::plus<int>());\n"
                                 "  rank[t] = tile.meta_group_rank() * 100 + tile.thread_rank();\n}}",
                                 width),
                     [](RunOptions& o) { o.block = 64; });
        const auto sum = values<int>(trace, "sum"), before = values<int>(trace, "before"),
                   rank = values<int>(trace, "rank");
        for (unsigned t = 0; t < 64; ++t) {
            int all = 0, earlier = 0;
            for (unsigned m = t / width * width; m < t / width * width + width; ++m) {
                all += static_cast<int>(m);
                earlier += m < t ? static_cast<int>(m) : 0;
            }
            EXPECT_EQ(sum[t], all) << width << ", " << t;
            EXPECT_EQ(before[t], earlier) << width << ", " << t;
            EXPECT_EQ(rank[t], static_cast<int>(t / width * 100 + t % width));
        }
        EXPECT_THAT(kinds(trace), IsEmpty());
    }
}

TEST(CooperativeGroups, CoalescedThreadsAreThoseThatAreThere) {
    const Trace trace = run_text("#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
                                 "__global__ void k(int* size, int* rank) {\n  int t = threadIdx.x;\n"
                                 "  if (t % 3 == 0) { auto g = cg::coalesced_threads(); size[t] = g.size(); rank[t] = "
                                 "g.thread_rank(); }\n}",
                                 [](RunOptions& o) {
                                     o.kernel.arguments["size"] = "zeros:32";
                                     o.kernel.arguments["rank"] = "zeros:32";
                                 });
    const auto size = values<int>(trace, "size"), rank = values<int>(trace, "rank");
    for (unsigned t = 0; t < 32; ++t) {
        EXPECT_EQ(size[t], t % 3 == 0 ? 11 : 0);
        EXPECT_EQ(rank[t], t % 3 == 0 ? static_cast<int>(t / 3) : 0);
    }
}

const std::function<void(RunOptions&)> four_blocks(WarpOrder order) {
    return [order](RunOptions& o) {
        o.block = 64;
        o.n = 256;
        o.kernel.grid = "4";
        o.order = order;
    };
}

TEST(Blocks, MeetAtTheBarrierOfTheGrid) {
    for (const WarpOrder order : kOrders) {
        const Trace trace = run_text("#include <cooperative_groups.h>\n__global__ void k(int* a, int* out) {\n"
                                     "  int i = blockIdx.x * 64 + threadIdx.x; a[i] = i;\n"
                                     "  cooperative_groups::this_grid().sync();\n  out[i] = a[255 - i];\n}",
                                     four_blocks(order));
        EXPECT_THAT(kinds(trace), IsEmpty()) << name(order);
        const auto out = values<int>(trace, "out");
        for (int i = 0; i < 256; ++i) {
            EXPECT_EQ(out[static_cast<std::size_t>(i)], 255 - i);
        }
    }
}

TEST(Blocks, TheLastToArriveSums) {
    const char* const text =
        "// expect: sum\n__device__ unsigned count;\n__global__ void k(const int* in, int* out, int n) {\n"
        "  __shared__ int s[64]; __shared__ bool last; int t = threadIdx.x;\n"
        "  s[t] = in[blockIdx.x * 64 + t]; __syncthreads();\n"
        "  for (int d = 32; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }\n"
        "  if (t == 0) { out[1 + blockIdx.x] = s[0]; __threadfence();\n"
        "    last = atomicAdd(&count, 1) == gridDim.x - 1; }\n  __syncthreads();\n"
        "  if (last && t == 0) { int v = 0; for (int b = 0; b < gridDim.x; ++b) v += ((volatile int*)out)[1 + b]; "
        "out[0] "
        "= v; }\n}";
    for (const WarpOrder order : kOrders) {
        const Trace trace = run_text(text, four_blocks(order));
        EXPECT_TRUE(trace.pass) << name(order);
        EXPECT_EQ(values<int>(trace, "out").front(), 255 * 128);
    }
}

TEST(Blocks, WaitForEarlierOnesAndForLaterOnes) {
    for (const char* const whom : {"blockIdx.x - 1", "blockIdx.x + 1"}) {
        for (const WarpOrder order : kOrders) {
            const Trace trace =
                run_text(fmt::format("__device__ volatile int done[6];\n__global__ void k(int* out) {{\n"
                                     "  if (threadIdx.x == 0) {{\n    int whom = {};\n"
                                     "    if (whom >= 0 && whom < 4) while (!done[whom]) {{}}\n"
                                     "    out[blockIdx.x] = 1; __threadfence(); done[blockIdx.x] = 1;\n  }}\n}}",
                                     whom),
                         four_blocks(order));
            EXPECT_TRUE(trace.completed()) << whom << " " << name(order);
            EXPECT_THAT(values<int>(trace, "out"), ElementsAre(1, 1, 1, 1));
        }
    }
}

TEST(Blocks, ThatWaitForWhatNeverComesAreADeadlock) {
    const Trace trace = run_text("__device__ volatile int never;\n__global__ void k(int* out) {\n"
                                 "  while (!never) {}\n  out[0] = 1;\n}",
                                 [](RunOptions& o) {
                                     o.kernel.grid = "3";
                                     o.kernel.most_instructions = 1U << 20;
                                 });
    EXPECT_FALSE(trace.completed());
    EXPECT_NE(first_of(trace, FindingKind::deadlock), nullptr);
}

} // namespace
} // namespace warptree::tests
