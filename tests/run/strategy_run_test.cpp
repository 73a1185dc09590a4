// Every strategy compared with independent references: values, determinism, invariants of traces.
#include "app/base/error.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/run/input.hpp"
#include "app/run/run.hpp"
#include "app/trace/model/trace.hpp"
#include "tests/run/cpu_run.hpp"
#include "tests/run/same_execution.hpp"
#include "tests/support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

namespace warptree {
namespace {

std::string test_name(std::string text) {
    for (char& c : text) {
        if (c == '-') {
            c = '_';
        }
    }
    return text;
}

std::vector<std::string> ids(bool reductions_only = false) {
    std::vector<std::string> all;
    for (const StrategyInfo& s : strategies()) {
        // Strategies that are wrong on purpose, or compute something else, are in exhibit_test.cpp.
        if (!s.racy && !s.deadlocks && s.answer != Answer::matrix && (!reductions_only || s.answer == Answer::total)) {
            all.emplace_back(s.id);
        }
    }
    return all;
}

class EveryStrategy : public testing::TestWithParam<std::tuple<std::string, std::uint64_t>> {
  protected:
    std::string id() const { return std::get<0>(GetParam()); }
    std::uint64_t n() const { return std::get<1>(GetParam()); }
    // Each element is a leaf, and each combine takes two values to one. exact-sum also adds the errors of its additions.
    bool has_plain_tree() const { return id() != "exact-sum"; }
};

std::string param_name(const testing::TestParamInfo<std::tuple<std::string, std::uint64_t>>& info) {
    return test_name(std::get<0>(info.param)) + "_" + std::to_string(std::get<1>(info.param));
}
// Results at more sizes: catalogue_results_test.cpp.
const auto kSizes = testing::ValuesIn(tests::sampled<std::uint64_t>({1, 33, 1000}, {33}));
INSTANTIATE_TEST_SUITE_P(Sizes, EveryStrategy, testing::Combine(testing::ValuesIn(ids(true)), kSizes), param_name);

// Invariants of every trace, scans included; the results of scans are in scan_test.cpp.
class EveryTrace : public EveryStrategy {};
INSTANTIATE_TEST_SUITE_P(Sizes, EveryTrace, testing::Combine(testing::ValuesIn(ids()), kSizes), param_name);

// The closed form of the sum, independent of the program's reference.
TEST_P(EveryStrategy, SumsIotaInEveryType) {
    for (const ElementType type : kElementTypes) {
        RunOptions o = cpu(id(), n());
        o.type = type;
        o.input = InputKind::iota;
        if (refusal(o)) {
            EXPECT_FALSE(require_strategy(id()).header.types.empty());
            continue;
        }
        const Trace t = runs::run_any(o);
        EXPECT_TRUE(t.pass) << name(type);
        EXPECT_EQ(t.result.as_double(), static_cast<double>(n() * (n() - 1) / 2)) << name(type);
        if (has_plain_tree()) {
            EXPECT_EQ(t.tree.leaves, n());
        }
    }
}

TEST_P(EveryStrategy, EveryFinishAndBlockSize) {
    const StrategyInfo& info = require_strategy(id());
    for (const Finish finish : info.finishes) {
        for (const std::uint32_t block :
             tests::sampled<std::uint32_t>({1, 2, 8, 16, 32, 64, 96, 128, 512, 1024}, {8, 64})) {
            RunOptions o = cpu(id(), n());
            o.block = block;
            o.finish = finish;
            o.input = InputKind::random;
            if (refusal(o)) {
                EXPECT_THROW(runs::run_any(o), OptionError);
                continue;
            }
            const Trace t = runs::run_any(o);
            EXPECT_TRUE(t.pass) << name(finish) << " " << block;
            EXPECT_LE(t.tree.useful_combines, t.tree.combines);
            if (has_plain_tree()) {
                EXPECT_EQ(t.tree.leaves, n()) << name(finish) << " " << block;
                EXPECT_EQ(t.tree.useful_combines + 1, n()) << name(finish) << " " << block;
            }
            EXPECT_EQ(t.launches.front().totals().hazards, 0U) << name(finish) << " " << block;
        }
    }
}

TEST_P(EveryTrace, IsTheSameWithAnyWorkersAndWarpOrder) {
    RunOptions o = cpu(id(), n());
    o.input = InputKind::random;
    o.workers = 1;
    const Trace one = runs::run_any(o);
    for (const WarpOrder order : kWarpOrders) {
        o.workers = 2;
        o.order = order;
        // The order decides how far a tile looks back, which block finishes last, in which order blocks come to a bin, which
        // of several distances a step is named by, and where among the steps are those that one warp has alone.
        const bool talk = require_strategy(id()).answer == Answer::scan || id() == "last-block" ||
                          id() == "histogram-private" || id() == "blelloch-padded" || id() == "compact";
        if (talk && order != WarpOrder::in_order) {
            continue;
        }
        tests::expect_same_execution(runs::run_any(o), one, name(order));
    }
}

// If the window holds every block, its contents add up to the counters.
TEST_P(EveryTrace, WindowAgreesWithCounters) {
    RunOptions o = cpu(id(), n());
    o.window = {0, 1U << 20};
    const Trace ran = runs::run_any(o);
    for (const Launch& l : ran.launches) {
        Counters sum;
        for (const Request& r : l.requests) {
            switch (r.kind) {
            case AccessKind::shared_load:
                ++sum.shared_load_requests;
                sum.shared_load_wavefronts += r.wavefronts;
                break;
            case AccessKind::shared_store:
                ++sum.shared_store_requests;
                sum.shared_store_wavefronts += r.wavefronts;
                break;
            case AccessKind::global_load:
                ++sum.global_load_requests;
                sum.global_load_sectors += r.sectors;
                break;
            case AccessKind::global_store:
                ++sum.global_store_requests;
                sum.global_store_sectors += r.sectors;
                break;
            case AccessKind::remote_load:
            case AccessKind::remote_store: break;
            case AccessKind::atomic:
            case AccessKind::shared_atomic:
            case AccessKind::remote_atomic: sum.atomics += static_cast<std::uint64_t>(std::popcount(r.mask));
            }
        }
        for (const Node& node : l.nodes) {
            sum.combines += node.kind == NodeKind::combine ? 1 : 0;
            sum.useful_combines += node.kind == NodeKind::combine && node.useful ? 1 : 0;
            sum.padding_combines += node.padding ? 1 : 0;
            EXPECT_FALSE(node.padding && (node.useful || node.kind != NodeKind::combine));
            if (node.kind == NodeKind::combine) {
                ASSERT_NE(node.left, kNone);
                ASSERT_NE(node.right(), kNone);
            }
        }
        for (std::size_t row = 0; row < l.warp_steps.size(); ++row) {
            const WarpStep& w = l.warp_steps[row];
            const Step& of = l.steps[row / l.warps() % l.steps.size()];
            const bool split = of.kind == StepKind::stage && w.other_path != 0; // all lanes combine, on two paths
            sum.active_threads += static_cast<unsigned>(std::popcount(w.active));
            sum.active_warps += w.active != 0 ? 1 : 0;
            sum.divergent_warps += w.active != 0 && (w.active != w.existing || split) ? 1 : 0;
            EXPECT_EQ(w.active & ~w.existing, 0U);
        }
        const Counters t = l.totals();
        EXPECT_EQ(sum.shared_load_requests, t.shared_load_requests);
        EXPECT_EQ(sum.shared_load_wavefronts, t.shared_load_wavefronts);
        EXPECT_EQ(sum.shared_store_requests, t.shared_store_requests);
        EXPECT_EQ(sum.shared_store_wavefronts, t.shared_store_wavefronts);
        EXPECT_EQ(sum.global_load_requests, t.global_load_requests);
        EXPECT_EQ(sum.global_load_sectors, t.global_load_sectors);
        EXPECT_EQ(sum.global_store_requests, t.global_store_requests);
        EXPECT_EQ(sum.combines, t.combines);
        EXPECT_EQ(sum.useful_combines, t.useful_combines);
        EXPECT_EQ(sum.padding_combines, t.padding_combines);
        EXPECT_EQ(sum.active_threads, t.active_threads);
        EXPECT_EQ(sum.active_warps, t.active_warps);
        EXPECT_EQ(sum.divergent_warps, t.divergent_warps);
        EXPECT_EQ(sum.atomics, t.atomics);
        EXPECT_EQ(l.shuffles.size(), t.shuffles);
        EXPECT_EQ(l.barriers.size(), t.barriers);
    }
}

// A combine's value is the operator applied to its operands' values.
TEST_P(EveryTrace, NodesRecompute) {
    RunOptions o = cpu(id(), n());
    if (o.type != ElementType::i32) {
        GTEST_SKIP() << "it combines values of several types";
    }
    if (require_strategy(id()).answer == Answer::listed) {
        GTEST_SKIP() << "it keeps one of two records, or counts";
    }
    o.input = InputKind::random;
    o.window = {0, 1U << 20};
    const Trace ran = runs::run_any(o);
    for (const Launch& l : ran.launches) {
        for (const Node& node : l.nodes) {
            if (node.kind == NodeKind::combine) {
                const auto value = [&](std::uint32_t i) { return static_cast<std::int32_t>(l.nodes[i].bits); };
                EXPECT_EQ(static_cast<std::int32_t>(node.bits), value(node.left) + value(node.right()));
            }
        }
    }
}

TEST(Pipeline, RelaunchesUntilTheHostTakesOver) {
    RunOptions o = cpu("sequential", 1U << 20);
    o.block = 32;
    o.finish = Finish::relaunch;
    o.host_below = 64;
    const Trace t = runs::run_any(o);
    ASSERT_EQ(t.launches.size(), 3U);
    EXPECT_EQ(t.launches[0].grid, 32768U);
    EXPECT_EQ(t.launches[1].grid, 1024U);
    EXPECT_EQ(t.launches[2].grid, 32U);
    EXPECT_EQ(t.host_partials, 32U);
    EXPECT_EQ(t.tree.combines, (1U << 20) - 1);
    EXPECT_EQ(t.tree.depth, 20U);
    EXPECT_TRUE(t.pass);
}

TEST(Pipeline, LongGridStrideLoopsNeedNoMemoryForEachElement) {
    RunOptions o = cpu("block-atomic", 1U << 22);
    o.block = 32;
    o.window = {0, 0};
    const Trace t = runs::run_any(o);
    EXPECT_TRUE(t.pass);
    EXPECT_EQ(t.tree.leaves, 1U << 22);
    EXPECT_TRUE(t.launches.front().nodes.empty());
}

TEST(Pipeline, CountsTheSameWithAndWithoutWindow) {
    for (const std::string& id : ids()) {
        RunOptions o = cpu(id, tests::kFewCases ? 2100 : 17000);
        o.window = {0, 0};
        if (refusal(o)) {
            continue; // too many rows
        }
        const Trace bare = runs::run_any(o);
        o.window = {0, 1U << 20};
        const Trace full = runs::run_any(o);
        EXPECT_EQ(bare.tree, full.tree) << id;
        ASSERT_EQ(bare.launches.front().steps.size(), full.launches.front().steps.size()) << id;
        for (std::size_t s = 0; s < bare.launches.front().steps.size(); ++s) {
            EXPECT_EQ(bare.launches.front().steps[s].label, full.launches.front().steps[s].label) << id;
            EXPECT_EQ(bare.launches.front().steps[s].counters, full.launches.front().steps[s].counters) << id;
        }
    }
}

// Cancelled at the first progress report: no further blocks begin. 4096 blocks would report 128 times.
TEST(Pipeline, CancelsPromptly) {
    for (const unsigned workers : {1U, 2U}) {
        RunControl control;
        std::vector<double> told;
        control.progress = [&](double fraction) {
            told.push_back(fraction);
            control.cancel = true;
        };
        RunOptions o = cpu("sequential", 1U << 20);
        o.workers = workers;
        EXPECT_THROW(runs::run_any(o, control), Cancelled);
        ASSERT_FALSE(told.empty()) << "it was cancelled before it ran";
        EXPECT_GT(told.front(), 0);
        EXPECT_LE(told.size(), workers) << "each worker ends with the blocks it has";
        EXPECT_LT(told.back(), 0.1);
    }
}
TEST(Pipeline, CancelledBeforehandDoesNothing) {
    RunControl control;
    control.cancel = true;
    bool told = false;
    control.progress = [&](double) { told = true; };
    EXPECT_THROW(runs::run_any(cpu("sequential", 1U << 20), control), Cancelled);
    EXPECT_FALSE(told);
}

TEST(Reference, CompensatedSumSeesWhatPlainSummationLoses) {
    RunOptions o = cpu("sequential", 1U << 16);
    o.type = ElementType::f32;
    o.input = InputKind::random;
    const Elements input = runs::make_input(resolve(o));
    float plain = 0;
    double exact = 0; // of so few floats, exact to far below a float's precision
    for (std::size_t i = 0; i < input.size(); ++i) {
        plain += input.as<float>()[i];
        exact += static_cast<double>(input.as<float>()[i]);
    }
    const double lost = std::abs(static_cast<double>(plain) - exact);
    const Trace t = runs::run_any(o);
    EXPECT_TRUE(t.pass);
    EXPECT_EQ(t.reference.as<float>(), static_cast<float>(exact));
    EXPECT_NE(t.reference.as<float>(), plain);
    EXPECT_GT(lost, 10 * std::abs(t.reference.as_double() - exact));
    EXPECT_GT(t.tolerance, 0);
    EXPECT_LE(t.reference_error, t.tolerance);
}

} // namespace
} // namespace warptree
