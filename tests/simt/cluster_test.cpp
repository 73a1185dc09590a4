// Clusters of blocks: who is in one, how its blocks reach one another's shared memory, and what is told of those that do
// it wrongly. Sources: CUDA C++ Programming Guide, "Thread Block Clusters" and "Distributed Shared Memory"; PTX ISA,
// barrier.cluster.
#include "app/base/error.hpp"
#include "tests/support/kernel_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace warptree::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const WarpOrder kBlockOrders[] = {WarpOrder::in_order, WarpOrder::reverse, WarpOrder::random};

// A kernel of clusters of `dims` whose body has `cluster`, the rank `r` and the thread `t`.
std::string kernel(const std::string& dims, const std::string& body, const std::string& parameters = "int* out") {
    return "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n__global__ void __cluster_dims__(" +
           dims + ") k(" + parameters +
           ") {\n  cg::cluster_group cluster = cg::this_cluster(); unsigned r = cluster.block_rank(), t = "
           "threadIdx.x;\n" +
           body + "\n}\n";
}

Trace run(const std::string& text, const std::string& grid, WarpOrder order = WarpOrder::in_order,
          std::uint32_t block = 32) {
    return run_text(text, [&](RunOptions& o) {
        o.block = block;
        o.kernel.grid = grid;
        o.order = order;
    });
}

TEST(Clusters, BlocksKnowTheirPlace) {
    const std::string text = kernel("2, 3", "  unsigned i = blockIdx.y * 4 + blockIdx.x;\n  if (t == 0) {\n"
                                            "    out[i * 8] = r; out[i * 8 + 1] = cluster.num_blocks();\n"
                                            "    out[i * 8 + 2] = cluster.block_index().x; out[i * 8 + 3] = "
                                            "cluster.block_index().y;\n"
                                            "    out[i * 8 + 4] = cluster.dim_blocks().x; out[i * 8 + 5] = "
                                            "cluster.dim_blocks().y;\n"
                                            "    out[i * 8 + 6] = cluster.num_threads();\n  }\n"
                                            "  if (t == 5) out[i * 8 + 7] = cluster.thread_rank();");
    const auto out = values<int>(run(text, "4x6"), "out");
    ASSERT_EQ(out.size(), 24U * 8);
    for (int y = 0; y < 6; ++y) {
        for (int x = 0; x < 4; ++x) {
            const int rank = y % 3 * 2 + x % 2;
            const std::vector<int> here(out.begin() + (y * 4 + x) * 8, out.begin() + (y * 4 + x + 1) * 8);
            EXPECT_THAT(here, ElementsAre(rank, 6, x % 2, y % 3, 2, 3, 6 * 32, rank * 32 + 5)) << x << ", " << y;
        }
    }
}

TEST(Clusters, AKernelThatNamesNoneIsAClusterOfOneBlock) {
    const Trace trace = run("#include <cooperative_groups.h>\n__global__ void k(int* out) {\n"
                            "  __shared__ int s[32]; auto c = cooperative_groups::this_cluster();\n"
                            "  s[threadIdx.x] = threadIdx.x; c.sync();\n  int i = blockIdx.x * 32 + threadIdx.x;\n"
                            "  out[i] = c.num_blocks() * 1000 + c.block_rank() * 100 + "
                            "*c.map_shared_rank(&s[31 - threadIdx.x], 0);\n}",
                            "2");
    EXPECT_THAT(kinds(trace), IsEmpty());
    const auto out = values<int>(trace, "out");
    for (int i = 0; i < 64; ++i) {
        EXPECT_EQ(out[static_cast<std::size_t>(i)], 1000 + 31 - i % 32);
    }
}

TEST(Clusters, LoadFromEveryBlock) {
    const std::string text = kernel("4", "  __shared__ int s[32]; s[t] = blockIdx.x * 100 + t;\n  cluster.sync();\n"
                                         "  int sum = 0;\n  for (int k = 0; k < 4; ++k) sum += "
                                         "cluster.map_shared_rank(s, k)[31 - t];\n"
                                         "  out[blockIdx.x * 32 + t] = sum;\n  cluster.sync();");
    for (const WarpOrder order : kBlockOrders) {
        const Trace trace = run(text, "8", order);
        EXPECT_THAT(kinds(trace), IsEmpty()) << name(order);
        const auto out = values<int>(trace, "out");
        for (int i = 0; i < 256; ++i) {
            const int first = i / 128 * 4; // block of the cluster
            EXPECT_EQ(out[static_cast<std::size_t>(i)], (4 * first + 6) * 100 + 4 * (31 - i % 32)) << name(order);
        }
    }
}

// Each lane writes to another block.
TEST(Clusters, StoreToEveryBlock) {
    const std::string text =
        kernel("8", "  __shared__ int s[8]; if (t < 8) s[t] = -1;\n  cluster.sync();\n"
                    "  if (t < 8) cluster.map_shared_rank(s, t)[r] = blockIdx.x * 10 + t;\n  cluster.sync();\n"
                    "  if (t < 8) out[blockIdx.x * 8 + t] = s[t];");
    for (const WarpOrder order : kBlockOrders) {
        const Trace trace = run(text, "16", order);
        EXPECT_THAT(kinds(trace), IsEmpty()) << name(order);
        const auto out = values<int>(trace, "out");
        ASSERT_EQ(out.size(), 128U);
        for (int i = 0; i < 128; ++i) {
            EXPECT_EQ(out[static_cast<std::size_t>(i)], (i / 64 * 8 + i % 8) * 10 + i / 8 % 8) << name(order);
        }
    }
}

TEST(Clusters, AtomicsMeetInOneBlock) {
    const std::string text = kernel("4", "  __shared__ unsigned s; if (t == 0) s = 0;\n  cluster.sync();\n"
                                         "  atomicAdd(cluster.map_shared_rank(&s, 0), blockIdx.x * 32 + t);\n"
                                         "  cluster.sync();\n  if (t == 0) out[blockIdx.x] = s;");
    for (const WarpOrder order : kBlockOrders) {
        const Trace trace = run(text, "8", order, 64);
        EXPECT_THAT(kinds(trace), IsEmpty()) << name(order);
        const auto sum = [](int first) { // of 4 blocks of 64 threads
            int all = 0;
            for (int b = first; b < first + 4; ++b) {
                for (int t = 0; t < 64; ++t) {
                    all += b * 32 + t;
                }
            }
            return all;
        };
        EXPECT_THAT(values<int>(trace, "out"), ElementsAre(sum(0), 0, 0, 0, sum(4), 0, 0, 0)) << name(order);
    }
}

TEST(Clusters, AnAddressTellsItsBlock) {
    const std::string text = kernel("4", "  __shared__ int s[4];\n  cluster.sync();\n"
                                         "  if (t < 4) out[blockIdx.x * 4 + t] = "
                                         "cluster.query_shared_rank(cluster.map_shared_rank(s, t)) * 10 + "
                                         "cluster.query_shared_rank(s);\n  cluster.sync();");
    const auto out = values<int>(run(text, "4"), "out");
    for (int i = 0; i < 16; ++i) {
        EXPECT_EQ(out[static_cast<std::size_t>(i)], i % 4 * 10 + i / 4);
    }
}

// Between the two halves of the barrier a block may do what concerns nobody else.
TEST(Clusters, ArriveBeforeTheyWait) {
    const std::string text = kernel("2", "  __shared__ int s[32], own[32]; s[t] = blockIdx.x * 32 + t;\n"
                                         "  cluster.barrier_arrive();\n  own[t] = t;\n  cluster.barrier_wait();\n"
                                         "  out[blockIdx.x * 32 + t] = cluster.map_shared_rank(s, 1 - r)[t] + own[t];\n"
                                         "  cluster.sync();");
    for (const WarpOrder order : kBlockOrders) {
        const Trace trace = run(text, "2", order);
        EXPECT_THAT(kinds(trace), IsEmpty()) << name(order);
        const auto out = values<int>(trace, "out");
        for (int i = 0; i < 64; ++i) {
            EXPECT_EQ(out[static_cast<std::size_t>(i)], (1 - i / 32) * 32 + i % 32 + i % 32);
        }
    }
}

// What is found, each time the same, whichever block runs first.
struct Wrong {
    const char* name;
    const char* body;
    FindingKind kind;
    const char* text; // part of what is said of it
    std::set<FindingKind> beside = {};
};
std::ostream& operator<<(std::ostream& to, const Wrong& w) { return to << w.name; }
class ClusterFindings : public testing::TestWithParam<Wrong> {};

const Wrong kWrong[] = {
    {"StoreBeforeTheBlockHasStarted",
     "  __shared__ int s;\n  if (r == 0 && t == 0) *cluster.map_shared_rank(&s, 1) = 5;\n  cluster.sync();\n"
     "  if (r == 1 && t == 0) out[0] = s;",
     FindingKind::cluster_lifetime, "started"},
    {"ReadWithoutALastBarrier",
     "  __shared__ int s[32]; s[t] = t; cluster.sync();\n"
     "  if (r == 0) out[t] = cluster.map_shared_rank(s, 1)[t];",
     FindingKind::cluster_lifetime, "ended"},
    {"ReadWithoutABarrier",
     "  __shared__ int s[32]; s[t] = 0; cluster.sync();\n  s[t] = t + 1;\n"
     "  out[r * 32 + t] = cluster.map_shared_rank(s, 1 - r)[t];\n  cluster.sync();",
     FindingKind::race_shared, ""},
    {"WriteAfterArriving",
     "  __shared__ int s[32]; s[t] = 0;\n  cluster.barrier_arrive();\n  s[t] = t + 1;\n  cluster.barrier_wait();\n"
     "  out[r * 32 + t] = cluster.map_shared_rank(s, 1 - r)[t];\n  cluster.sync();",
     FindingKind::race_shared, ""},
    {"OutOfBounds",
     "  __shared__ int s[32]; s[t] = t; cluster.sync();\n"
     "  out[t] = cluster.map_shared_rank(s, 1)[t + 1];\n  cluster.sync();",
     FindingKind::out_of_bounds, ""},
    {"NoSuchRank",
     "  __shared__ int s[32]; s[t] = t; cluster.sync();\n"
     "  out[t] = cluster.map_shared_rank(s, 2)[t];\n  cluster.sync();",
     FindingKind::out_of_bounds, "no block of rank 2"},
    {"Unwritten",
     "  __shared__ int s[32]; if (r == 0) s[t] = t; cluster.sync();\n"
     "  out[r * 32 + t] = cluster.map_shared_rank(s, 1)[t];\n  cluster.sync();",
     FindingKind::uninitialised, ""},
    {"SomeThreadsWaitElsewhere",
     "  if (t < 16) cluster.sync(); else __syncthreads();\n  out[t] = 1;",
     FindingKind::deadlock,
     "",
     {FindingKind::barrier_divergence}},
    {"ABlockWaitsElsewhere",
     "  __shared__ volatile int flag; if (t == 0) flag = 0; __syncthreads();\n"
     "  if (r == 0) cluster.sync(); else while (flag == 0);\n  out[t] = 1;",
     FindingKind::deadlock, ""},
    {"ABlockEndsBefore", "  if (r == 0) cluster.sync();\n  out[r * 32 + t] = 1;", FindingKind::barrier_divergence,
     "block 1"},
    {"ArriveTwice",
     "  cluster.barrier_arrive(); cluster.barrier_arrive();\n  cluster.barrier_wait();\n  out[r * 32 + t] = 1;",
     FindingKind::trap, "twice"},
    {"WaitWithoutArriving", "  cluster.barrier_wait();\n  out[r * 32 + t] = 1;", FindingKind::trap, "has not arrived"},
};
INSTANTIATE_TEST_SUITE_P(All, ClusterFindings, testing::ValuesIn(kWrong),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(ClusterFindings, AreFoundInEveryOrder) {
    for (const WarpOrder order : kBlockOrders) {
        const Trace trace = run(kernel("2", GetParam().body), "2", order);
        std::set<FindingKind> all = GetParam().beside;
        all.insert(GetParam().kind);
        EXPECT_EQ(kinds(trace), all) << name(order);
        const Finding* const found = first_of(trace, GetParam().kind);
        ASSERT_NE(found, nullptr) << name(order);
        EXPECT_THAT(found->text, HasSubstr(GetParam().text)) << name(order);
    }
}

TEST(Clusters, OfAWrongSizeAreRefused) {
    const std::string body = "  if (t == 0) out[blockIdx.x] = r;";
    const auto why = [&](const std::string& dims, const std::string& grid) -> std::string {
        try {
            run(kernel(dims, body), grid);
        } catch (const OptionError& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_THAT(why("4", "8"), "");
    EXPECT_THAT(why("4", "6"), HasSubstr("not made of whole clusters"));
    EXPECT_THAT(why("16", "16"), HasSubstr("cannot be launched"));
    EXPECT_THAT(why("4096, 4096, 4096", "16"), HasSubstr("cannot be launched"));
}

// The sum of 256 elements by two clusters of four blocks: one tree in each.
TEST(Clusters, JoinTheTreesOfTheirBlocks) {
    const std::string text =
        kernel("4",
               "  __shared__ int s[32], p; s[t] = in[blockIdx.x * 32 + t]; __syncthreads();\n"
               "  for (int d = 16; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }\n"
               "  if (t == 0) p = s[0];\n  cluster.sync();\n"
               "  if (r == 0 && t == 0) { int sum = p; for (int k = 1; k < 4; ++k) sum += "
               "*cluster.map_shared_rank(&p, k);\n    out[blockIdx.x / 4] = sum; }\n  cluster.sync();",
               "const int* in, int* out");
    const Trace trace = run_text(text, [](RunOptions& o) {
        o.n = 256;
        o.kernel.grid = "8";
    });
    EXPECT_THAT(kinds(trace), IsEmpty());
    EXPECT_THAT(values<int>(trace, "out"), ElementsAre(127 * 64, 127 * 64 + 128 * 128));
    const Launch& l = trace.launches.front();
    EXPECT_THAT(l.cluster, ElementsAre(4, 1, 1));
    EXPECT_EQ(l.totals().useful_combines, 2U * 127);
    EXPECT_EQ(trace.tree.leaves, 256U);
    std::set<std::uint32_t> from;
    for (const Node& n : l.nodes) {
        if (n.kind == NodeKind::partial) {
            ASSERT_LT(n.left, l.nodes.size());
            const Node& source = l.nodes[n.left];
            EXPECT_EQ(source.block / 4, n.block / 4);
            EXPECT_EQ(source.bits, n.bits);
            EXPECT_TRUE(source.useful);
            from.insert(source.block);
        }
    }
    EXPECT_THAT(from, ElementsAre(1, 2, 3, 5, 6, 7));
    // The root of each cluster's tree stands for all of its elements.
    for (const Output& o : l.outputs) {
        std::set<std::uint32_t> elements;
        std::vector<std::uint32_t> open{o.node};
        while (!open.empty()) {
            const std::uint32_t at = open.back();
            open.pop_back();
            if (at < l.nodes.size()) {
                open.insert(open.end(), {l.nodes[at].left, l.nodes[at].right()});
                if (l.nodes[at].kind == NodeKind::leaf) {
                    elements.insert(l.nodes[at].element());
                }
            }
        }
        EXPECT_EQ(elements.size(), 128U);
        EXPECT_EQ(*elements.begin(), o.index * 128);
    }
    EXPECT_EQ(requests(trace, AccessKind::remote_load).size(), 2U * 3);
}

} // namespace
} // namespace warptree::tests
