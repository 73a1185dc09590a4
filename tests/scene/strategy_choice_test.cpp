// What a strategy takes over from the one before it.
#include "app/catalogue/strategy.hpp"
#include "app/features/explore/explore.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace warptree {
namespace {

TEST(StrategyChoice, EveryStrategyRunsAfterAnyOther) {
    for (const StrategyInfo& before : strategies()) {
        RunOptions o = session::with_strategy({}, before.id);
        o.block = before.default_block;
        o.n = before.default_n;
        const auto operators = taken_operators(before);
        o.op = operators.back();
        o.finish = before.finishes.back();
        o.type = taken_types(before).front();
        for (const StrategyInfo& info : strategies()) {
            RunOptions next = session::with_strategy(o, info.id);
            next.block = info.default_block;
            next.n = info.default_n;
            EXPECT_EQ(refusal(next).value_or(""), "") << before.id << " → " << info.id;
        }
    }
}

TEST(StrategyChoice, KeepsWhatTheStrategyTakes) {
    RunOptions o = session::with_strategy({}, "sequential");
    o.op = Operator::max;
    o.type = ElementType::f64;
    o.finish = Finish::atomic;
    const RunOptions kept = session::with_strategy(o, "first-add");
    EXPECT_EQ(kept.op, Operator::max);
    EXPECT_EQ(kept.type, ElementType::f64);
    EXPECT_EQ(kept.finish, Finish::atomic);
    EXPECT_EQ(session::with_strategy(o, "argmax").op, Operator::sum) << "an argmax has no other";
    o.type = ElementType::i32;
    EXPECT_EQ(session::with_strategy(o, "kahan").type, ElementType::f32) << "the first that it takes";
}

TEST(StrategyChoice, OffersWhatRuns) {
    for (const StrategyInfo& info : strategies()) {
        for (const ElementType type : taken_types(info)) {
            for (const Operator op : taken_operators(info)) {
                RunOptions o = session::with_strategy({}, info.id);
                o.n = info.default_n;
                o.type = type;
                o.op = op;
                EXPECT_EQ(refusal(o).has_value(), !supports(type, op)) << info.id;
            }
        }
    }
}

// 1024^3 multiplications are more than the 2^27 that can be traced: the product opens with its own 32 elements.
TEST(StrategyChoice, OpensAStrategyWithAsManyElementsAsItRunsWith) {
    session::Explore e([] {});
    e.select_strategy("block-atomic");
    ASSERT_EQ(e.options.n, 1024U);
    e.select_strategy("tiled-matmul");
    EXPECT_EQ(e.error, "");
    EXPECT_EQ(e.options.n, 32U);
    EXPECT_NE(e.to_tell.find("32 elements, as 1024 do not run: a product of these matrices"), std::string::npos)
        << e.to_tell;
}

bool ran(session::Explore& e) {
    for (int tries = 0; tries < 2000; ++tries) {
        if (e.poll() && e.trace() && e.trace()->options.strategy == e.options.strategy) {
            return true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
}

// What does not run is not shown as the strategy's that ran before.
TEST(StrategyChoice, DoesNotPassARunOffAsAnotherStrategys) {
    session::Explore e([] {});
    e.select_strategy("block-atomic");
    ASSERT_TRUE(ran(e));
    EXPECT_FALSE(e.stale());
    RunOptions o = session::with_strategy(e.options, "tiled-matmul");
    o.n = 4096;
    e.run_strategy(o);
    EXPECT_NE(e.error, "");
    EXPECT_TRUE(e.stale());
    EXPECT_TRUE(e.dimmed());
    EXPECT_TRUE(e.of_another());
    e.select_strategy("block-atomic");
    EXPECT_FALSE(e.stale());
    EXPECT_FALSE(e.of_another());
}

// No list shows the findings of a strategy: the key goes from one to the next.
TEST(StrategyChoice, GoesToTheFindingsOfAStrategy) {
    session::Explore e([] {});
    e.options.n = 128;
    e.options.block = 128;
    e.select_strategy("missing-barrier");
    ASSERT_TRUE(ran(e));
    e.playback.first();
    e.next_finding(1);
    ASSERT_TRUE(e.chosen_finding.has_value());
    const Launch& l = e.trace()->launches[e.chosen_finding->launch];
    const Finding& f = l.findings[e.chosen_finding->finding];
    EXPECT_EQ(f.kind, FindingKind::race_shared);
    EXPECT_EQ(e.playback.moment().step, f.step);
    EXPECT_EQ(l.steps[f.step].label, "s = 64") << "where the first sums of other warps are read";
    EXPECT_EQ(e.selected.kind, scene::Target::Kind::thread);
    EXPECT_EQ(e.told.find("race"), 0U) << e.told;
    e.select_strategy("sequential");
    ASSERT_TRUE(ran(e));
    e.next_finding(1);
    EXPECT_EQ(e.news, "Nothing is found in this run");
}

} // namespace
} // namespace warptree
