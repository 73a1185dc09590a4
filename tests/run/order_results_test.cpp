// Results in many orders, against every order of the same additions on the host.
#include "app/run/tries/order_results.hpp"

#include "app/run/run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace warptree {
namespace {

constexpr const char* kSixAdditions = R"(
__constant__ float values[] = {0.1f, 0.7f, 1e7f, -1e7f, 0.3f, 3};
__global__ void total(float* out) {
    if (threadIdx.x == 0) atomicAdd(out, values[blockIdx.x]);
}
)";

RunOptions six_blocks() {
    RunOptions o;
    o.kernel.text = kSixAdditions;
    o.kernel.file = "total.cu";
    o.kernel.grid = "6";
    o.kernel.block = "32";
    o.kernel.arguments = {{"out", "zeros:1"}};
    return o;
}

std::set<float> sums_of_all_orders(std::vector<float> values) {
    std::set<float> all;
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0U);
    do {
        float sum = 0;
        for (const std::size_t k : order) {
            sum += values[k];
        }
        all.insert(sum);
    } while (std::next_permutation(order.begin(), order.end()));
    return all;
}

TEST(OrderResults, AreSumsOfSomeOrder) {
    const std::vector<float> values{0.1F, 0.7F, 1e7F, -1e7F, 0.3F, 3};
    const std::set<float> possible = sums_of_all_orders(values);
    ASSERT_GT(possible.size(), 3U);
    RunControl control;
    const OrderResults found = runs::order_results(six_blocks(), 400, control);
    EXPECT_EQ(found.orders, 400U);
    EXPECT_TRUE(found.one);
    std::uint32_t orders = 0;
    std::set<float> seen;
    for (const OrderResult& r : found.results) {
        EXPECT_TRUE(possible.contains(static_cast<float>(r.value))) << r.value;
        seen.insert(static_cast<float>(r.value));
        orders += r.orders;
    }
    EXPECT_EQ(orders, 400U);
    EXPECT_EQ(seen, possible) << "400 of 720 orders meet every sum that several give";
}

TEST(OrderResults, AreTheSameWheneverTheyAreComputed) {
    RunControl control;
    const OrderResults a = runs::order_results(six_blocks(), 50, control),
                       b = runs::order_results(six_blocks(), 50, control);
    EXPECT_EQ(order_text(a), order_text(b));
    EXPECT_NE(order_text(a).find("different results in 50 orders of blocks and warps"), std::string::npos)
        << order_text(a);
}

RunOptions strategy(const char* id, ElementType type) {
    RunOptions o;
    o.strategy = id;
    o.n = 5000;
    o.type = type;
    o.input = InputKind::random;
    return o;
}

TEST(OrderResults, OfAnExactSumAreOne) {
    RunControl control;
    const OrderResults exact = runs::order_results(strategy("exact-sum", ElementType::f32), 20, control);
    EXPECT_EQ(exact.results.size(), 1U);
    EXPECT_EQ(order_text(exact), "");
    EXPECT_GT(runs::order_results(strategy("warp-atomic", ElementType::f32), 20, control).results.size(), 1U);
}

TEST(OrderResults, AreAskedForWhereOrderMayMatter) {
    EXPECT_TRUE(may_depend_on_order(runs::run_any(strategy("warp-atomic", ElementType::f32))));
    EXPECT_FALSE(may_depend_on_order(runs::run_any(strategy("warp-atomic", ElementType::i32))));
    EXPECT_FALSE(may_depend_on_order(runs::run_any(strategy("sequential", ElementType::f32))));
    EXPECT_EQ(runs::affordable_orders(runs::run_any(strategy("warp-atomic", ElementType::f32))), 80U);
}

// Blocks start in another order, but what orders them still does.
TEST(OrderResults, ShuffledBlocksStillHandOn) {
    for (const char* id : {"scan-lookback", "last-block", "two-kernel"}) {
        RunOptions o = strategy(id, ElementType::i32);
        o.order = WarpOrder::random;
        for (const std::uint64_t seed : {1, 2, 3}) {
            o.order_seed = seed;
            const Trace t = runs::run_any(o);
            EXPECT_TRUE(t.pass) << id << " " << seed;
        }
    }
}

TEST(OrderResults, AreNotAskedForWhereNothingIsAdded) {
    RunOptions o;
    o.kernel.text = "__global__ void k(const float* x, float* out, int n) {\n  __shared__ float buf[256];\n"
                    "  __shared__ int count;\n  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
                    "  buf[t] = 0;\n  if (t == 0) count = 0;\n  __syncthreads();\n"
                    "  if (i < n && x[i] > 5) buf[atomicAdd(&count, 1)] = x[i];\n"
                    "  __syncthreads();\n  if (t < count) out[blockIdx.x * blockDim.x + t] = buf[t];\n}\n";
    RunControl control;
    EXPECT_FALSE(may_depend_on_order(runs::run_any(o, control)));
    o.kernel.text->replace(o.kernel.text->find("buf[atomicAdd(&count, 1)] = x[i]"), 32, "atomicAdd(&buf[0], x[i])");
    EXPECT_TRUE(may_depend_on_order(runs::run_any(o, control)));
}

} // namespace
} // namespace warptree
