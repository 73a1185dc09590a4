// Sets of elements by brute force: every node's leaves, gathered one by one.
#include "app/catalogue/strategy.hpp"
#include "app/run/run.hpp"
#include "app/trace/model/element_sets.hpp"
#include "app/trace/model/metrics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace warptree {
namespace {

Trace trace(const char* strategy, std::uint64_t n, std::uint32_t block, Finish finish = Finish::host) {
    RunOptions o;
    o.strategy = strategy;
    o.n = n;
    o.block = block;
    o.finish = finish;
    o.backend = Backend::cpu;
    o.workers = 1;
    return runs::run_any(o);
}

using Bag = std::multiset<std::uint64_t>; // partials of other blocks lie above 2^32
Bag gather(const Launch& launch, std::uint32_t node) {
    if (node >= launch.nodes.size()) {
        return {};
    }
    const Node& it = launch.nodes[node];
    switch (it.kind) {
    case NodeKind::leaf: return {it.element()};
    case NodeKind::partial: return {(1ULL << 32U) + it.element()};
    case NodeKind::identity: return {};
    case NodeKind::combine:
    case NodeKind::product: break;
    }
    Bag all = gather(launch, it.left);
    all.merge(gather(launch, it.right()));
    return all;
}

TEST(ElementSets, AgreeWithTheLeavesThemselves) {
    for (const Trace& t : {trace("interleaved-modulo", 33, 32), trace("unroll-last-warp", 200, 64),
                           trace("last-block", 100, 32, Finish::last_block), trace("warp-butterfly", 32, 32),
                           trace("sequential", 1, 1), trace("scan-blelloch", 32, 32)}) {
        for (const Launch& launch : t.launches) {
            const ElementSets sets(launch);
            std::map<std::uint64_t, Bag> bags;
            for (std::uint32_t i = 0; i < launch.nodes.size(); ++i) {
                const Bag bag = gather(launch, i);
                const auto [it, fresh] = bags.try_emplace(sets.key(i), bag);
                EXPECT_EQ(it->second, bag) << t.options.strategy << " node " << i;
                const auto alike = sets.with(sets.key(i));
                EXPECT_NE(std::find(alike.begin(), alike.end(), i), alike.end());
            }
            std::set<Bag> different;
            for (const auto& [key, bag] : bags) {
                EXPECT_TRUE(different.insert(bag).second) << "one set, two keys";
            }
        }
    }
}

TEST(ElementSets, TellEqualTreesFromOthers) {
    const Trace modulo = trace("interleaved-modulo", 64, 64), strided = trace("interleaved-strided", 64, 64);
    EXPECT_EQ(compare_trees(modulo, strided), Trees::same);
    EXPECT_EQ(compare_trees(modulo, modulo), Trees::same_and_threads);
    EXPECT_EQ(compare_trees(modulo, trace("sequential", 64, 64)), Trees::different);
    EXPECT_EQ(compare_trees(modulo, trace("interleaved-modulo", 64, 32)), Trees::different);
    EXPECT_EQ(compare_trees(trace("unroll-last-warp", 256, 128), trace("unroll-complete", 256, 128)),
              Trees::same_and_threads);
}

TEST(ElementSets, FindTheCounterpartOfANode) {
    const Trace a = trace("interleaved-modulo", 64, 64), b = trace("interleaved-strided", 64, 64);
    const Launch &from = a.launches[0], &to = b.launches[0];
    const ElementSets from_sets(from), to_sets(to);
    for (std::uint32_t i = 0; i < from.nodes.size(); ++i) {
        const std::uint32_t other = counterpart(from, from_sets, i, to, to_sets);
        ASSERT_NE(other, kNone);
        EXPECT_EQ(gather(from, i), gather(to, other));
        EXPECT_EQ(from.nodes[i].kind, to.nodes[other].kind);
    }
    const Trace c = trace("sequential", 64, 64);
    std::uint32_t without = 0;
    for (std::uint32_t i = 0; i < from.nodes.size(); ++i) {
        const std::uint32_t other = counterpart(from, from_sets, i, c.launches[0], ElementSets(c.launches[0]));
        without += other == kNone ? 1 : 0;
        EXPECT_TRUE(other == kNone || gather(from, i) == gather(c.launches[0], other));
    }
    EXPECT_EQ(without, 62U) << "of the 63 combines, only the root has all the same elements";
}

TEST(Metrics, AreTheClosedFormsOfABlockOf64) {
    const Metrics modulo = metrics(trace("interleaved-modulo", 64, 64)),
                  strided = metrics(trace("interleaved-strided", 64, 64));
    EXPECT_EQ(modulo.working_lanes, 63U);
    EXPECT_EQ(modulo.diverging_warp_steps, 11U) << "both warps but in the last stage, where one is idle";
    EXPECT_EQ(strided.diverging_warp_steps, 5U) << "one warp, but for the first stage";
    EXPECT_DOUBLE_EQ(*modulo.lane_efficiency(), 63.0 / (11 * 32));
    EXPECT_DOUBLE_EQ(*strided.lane_efficiency(), 63.0 / (6 * 32));
    EXPECT_EQ(modulo.excess_wavefronts(), 0U);
    EXPECT_GT(strided.excess_wavefronts(), 0U);
    EXPECT_FALSE(metrics(trace("sequential", 1, 1)).lane_efficiency().has_value());
    const Trace several = trace("sequential", 1000, 64, Finish::relaunch);
    const Metrics m = metrics(several);
    EXPECT_EQ(m.launches, several.launches.size());
    EXPECT_EQ(m.blocks, 16U + 1U);
}

TEST(Metrics, TellWhenEachWarpRetires) {
    const Trace modulo = trace("interleaved-modulo", 256, 256), sequential = trace("sequential", 256, 256);
    const auto labels = [](const Trace& t) {
        std::vector<std::string> all;
        for (const std::uint32_t step : retirement(t.launches[0], 0)) {
            all.push_back(t.launches[0].steps[step].label);
        }
        return all;
    };
    EXPECT_EQ(labels(modulo), (std::vector<std::string>{"s = 128", "s = 16", "s = 32", "s = 16", "s = 64", "s = 16",
                                                        "s = 32", "s = 16"}));
    EXPECT_EQ(labels(sequential),
              (std::vector<std::string>{"s = 1", "s = 64", "s = 128", "s = 128", "load", "load", "load", "load"}));
}

} // namespace
} // namespace warptree
