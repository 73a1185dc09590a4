// What a strategy takes over from the one before it.
#include "app/catalogue/strategy.hpp"
#include "app/features/explore/explore.hpp"

#include <gtest/gtest.h>

#include <algorithm>

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

} // namespace
} // namespace warptree
