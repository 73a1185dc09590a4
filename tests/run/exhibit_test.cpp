// Races and deadlocks: wrong exactly as a simple simulation of the order predicts, reported, and never hanging.
#include "app/base/error.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/run/input.hpp"
#include "app/run/run.hpp"
#include "app/trace/explain/explain.hpp"
#include "app/trace/explain/report.hpp"
#include "app/trace/io/check.hpp"
#include "app/trace/io/file.hpp"
#include "tests/run/exhibit_run.hpp"
#include "tests/support/sanitizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

namespace warptree {
namespace {

using testing::HasSubstr;

// The tree without barriers as plain loops: warp after warp, each in lockstep.
std::int32_t without_barriers(std::vector<std::int32_t> s, WarpOrder order) {
    const auto block = static_cast<unsigned>(s.size());
    for (unsigned k = 0; k < block; k += kWarpSize) {
        const unsigned warp = order == WarpOrder::reverse ? block - kWarpSize - k : k;
        for (unsigned stride = block / 2; stride > 0; stride /= 2) {
            const std::vector<std::int32_t> before = s;
            for (unsigned t = warp; t < std::min(stride, warp + kWarpSize); ++t) {
                s[t] = before[t] + before[t + stride];
            }
        }
    }
    return s[0];
}

std::int32_t sum(const std::vector<std::int32_t>& x) { return std::accumulate(x.begin(), x.end(), 0); }

std::vector<std::int32_t> input_of(const RunOptions& o) {
    const Elements e = runs::make_input(resolve(o));
    return {e.as<std::int32_t>(), e.as<std::int32_t>() + e.size()};
}

class Orders : public testing::TestWithParam<WarpOrder> {};
INSTANTIATE_TEST_SUITE_P(Exhibits, Orders, testing::ValuesIn(kWarpOrders), [](const auto& info) {
    std::string text(name(info.param));
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
});

TEST_P(Orders, MissingBarrierIsAsWrongAsItsOrderMakesIt) {
    for (const std::uint32_t block : {128U, 256U, 1024U}) {
        const RunOptions o = exhibit("missing-barrier", block, block, GetParam());
        const Trace t = runs::run_any(o);
        EXPECT_EQ(t.reference.as<std::int32_t>(), sum(input_of(o)));
        EXPECT_EQ(t.pass, t.result == t.reference);
        if (GetParam() != WarpOrder::random) {
            EXPECT_EQ(t.result.as<std::int32_t>(), without_barriers(input_of(o), GetParam())) << block;
            EXPECT_EQ(t.pass, GetParam() == WarpOrder::reverse) << block;
        }
        // Step s reads the words s … 2s - 1, which other threads combined in the step before.
        const Launch& l = t.launches.front();
        for (std::uint32_t s = block / 4; s > 0; s /= 2) {
            std::set<std::uint32_t> words;
            for (const Hazard& h : l.hazards) {
                const Race race = race_of(h);
                if (h.second_step == step(l, "s = " + std::to_string(s)) && race.first.writes && !race.second.writes) {
                    words.insert(h.word);
                }
            }
            EXPECT_EQ(words.size(), s);
        }
        EXPECT_GE(l.totals().hazards, block / 2 - 1);
    }
}

TEST(Exhibits, SomeSeedsOfARaceAreRightAndSomeWrong) {
    RunOptions o = exhibit("missing-barrier", 128, 128, WarpOrder::random);
    unsigned right = 0;
    const unsigned seeds = tests::kFewCases ? 16 : 64;
    for (o.seed = 1; o.seed <= seeds; ++o.seed) {
        const Trace t = runs::run_any(o);
        right += t.pass ? 1 : 0;
        EXPECT_EQ(runs::run_any(o), t) << "not repeatable, seed " << o.seed;
    }
    EXPECT_GT(right, 0U);
    EXPECT_LT(right, seeds);
}

TEST(Exhibits, MissingBarrierNamesReaderAndWriter) {
    const Trace t = runs::run_any(exhibit("missing-barrier", 128, 128));
    const Launch& l = t.launches.front();
    unsigned found = 0;
    for (const Hazard& h : l.hazards) {
        if (h.second_step != step(l, "s = 32")) {
            continue;
        }
        ++found;
        const Race race = race_of(h);
        EXPECT_EQ(race.word, race.first.thread);
        EXPECT_EQ(race.first.step, step(l, "s = 64"));
        EXPECT_TRUE(race.first.writes);
        EXPECT_EQ(race.second.thread, race.word - 32);
        EXPECT_FALSE(race.second.writes);
        EXPECT_EQ(race.first.line, race.second.line);
        EXPECT_EQ(wrong_orders(t, race), (std::vector{WarpOrder::in_order, WarpOrder::lockstep}));
    }
    EXPECT_EQ(found, 32U);
    const Hazard* leading = leading_hazard(l, step(l, "s = 32"), 0);
    ASSERT_NE(leading, nullptr);
    const std::string text = explain(t, l, *leading);
    EXPECT_THAT(text, HasSubstr("Thread 0 reads sdata[32] in step s = 32, line "));
    EXPECT_THAT(text, HasSubstr("; thread 32, of another warp, writes it in step s = 64, line "));
    EXPECT_THAT(text,
                HasSubstr("The write has to come first, but nothing orders the two: with the warp schedules in-order "
                          "and lockstep the read comes first."));
    EXPECT_EQ(leading_hazard(l, step(l, "load"), 0), nullptr);
}

class Tails : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Exhibits, Tails, testing::Values("missing-syncwarp", "volatile-tail"), [](const auto& info) {
    return info.param == "volatile-tail" ? std::string("volatile_tail") : std::string("missing_syncwarp");
});

TEST_P(Tails, AreRightInLockstepOnly) {
    for (const WarpOrder order : {WarpOrder::in_order, WarpOrder::reverse, WarpOrder::lockstep}) {
        const RunOptions o = exhibit(GetParam(), 128, 64, order);
        const std::vector<std::int32_t> x = input_of(o);
        std::vector<std::uint32_t> s(64); // unsigned: sums of values read too early overflow
        for (unsigned t = 0; t < 64; ++t) {
            s[t] = static_cast<std::uint32_t>(x[t]) + static_cast<std::uint32_t>(x[t + 64]);
        }
        const std::vector<std::uint32_t> before = s; // a lane sees only its own stores: nothing synchronizes them
        for (unsigned stride = 32; stride > 0; stride /= 2) {
            s[0] += before[stride];
        }
        const Trace t = runs::run_any(o);
        EXPECT_EQ(t.result.as<std::int32_t>(), order == WarpOrder::lockstep ? sum(x) : static_cast<std::int32_t>(s[0]))
            << name(order);
        EXPECT_EQ(t.pass, order == WarpOrder::lockstep) << name(order);
    }
}

// Larger blocks, several of them, every type: lockstep stays right.
TEST_P(Tails, LockstepIsRightForEveryTypeAndBlock) {
    for (const ElementType type : kElementTypes) {
        for (const std::uint32_t block : {64U, 256U, 1024U}) {
            RunOptions o = exhibit(GetParam(), 5000, block, WarpOrder::lockstep);
            o.type = type;
            o.window = {0, 1};
            EXPECT_TRUE(runs::run_any(o).pass) << name(type) << " " << block;
        }
    }
}

TEST_P(Tails, NameTheLanesThatRace) {
    const Trace t = runs::run_any(exhibit(GetParam(), 128, 64));
    const Launch& l = t.launches.front();
    // Lane w - s reads word w, which lane w has stored; words past 31 are only read.
    for (const std::uint32_t s : {16U, 8U, 4U, 2U, 1U}) {
        EXPECT_EQ(l.steps[step(l, "s = " + std::to_string(s))].counters.hazards, 32 - s);
    }
    EXPECT_EQ(l.totals().hazards, 129U);
    const auto found = std::find_if(l.hazards.begin(), l.hazards.end(), [&](const Hazard& h) {
        return h.word == 16 && h.second_step == step(l, "s = 16");
    });
    ASSERT_NE(found, l.hazards.end());
    const Race race = race_of(*found);
    EXPECT_EQ(race.first.thread, 16U);
    EXPECT_EQ(race.first.step, step(l, "s = 32"));
    EXPECT_TRUE(race.first.writes);
    EXPECT_EQ(race.second.thread, 0U);
    EXPECT_FALSE(race.second.writes);
    EXPECT_EQ(wrong_orders(t, race), (std::vector{WarpOrder::in_order, WarpOrder::reverse, WarpOrder::random}))
        << "lanes of one warp keep step in lockstep";
}

TEST_P(Orders, AShuffleMakesLanesMeetAndOrdersNoMemory) {
    const RunOptions o = exhibit("shuffle-orders-nothing", 128, 32, GetParam());
    const Trace t = runs::run_any(o);
    EXPECT_TRUE(t.pass) << "by luck of the interpreter, whose lanes meet";
    const Launch& l = t.launches.front();
    // In step s lane w - s reads word w, which lane w has stored before the shuffle.
    for (const std::uint32_t s : {16U, 8U, 4U, 2U, 1U}) {
        const auto found = std::find_if(l.hazards.begin(), l.hazards.end(), [&](const Hazard& h) {
            return h.block == 0 && h.word == s && h.second_step == step(l, "s = " + std::to_string(s)) &&
                   h.first_writes;
        });
        ASSERT_NE(found, l.hazards.end()) << s;
        EXPECT_TRUE(found->across_shuffle) << s;
        const Race race = race_of(*found);
        EXPECT_EQ(race.first.thread, s);
        EXPECT_TRUE(race.first.writes) << "has to come first: it lies before the shuffle";
        EXPECT_EQ(race.second.thread, 0U);
        EXPECT_FALSE(race.second.writes);
        EXPECT_TRUE(wrong_orders(t, race).empty()) << "no order of the interpreter makes it wrong";
        EXPECT_THAT(explain(t, l, *found),
                    HasSubstr("The write has to come first, but nothing orders the two: the shuffle between them "
                              "synchronises the lanes, but only __syncwarp orders memory."));
    }
    const auto r = nlohmann::json::parse(report_json(t));
    EXPECT_EQ(r["hazards"][0]["across_shuffle"], true);
}

// Apart from values, what threads do does not depend on the order, so the reported hazards do not either.
TEST(Exhibits, HazardsAreTheSameUnderEveryOrder) {
    for (const char* id : {"missing-barrier", "missing-syncwarp", "volatile-tail", "shuffle-orders-nothing"}) {
        const std::uint32_t block = id == std::string_view("shuffle-orders-nothing") ? 32 : 128;
        const Launch first = runs::run_any(exhibit(id, 1000, block)).launches.front();
        EXPECT_FALSE(first.hazards.empty());
        for (const WarpOrder order : kWarpOrders) {
            const Launch other = runs::run_any(exhibit(id, 1000, block, order)).launches.front();
            EXPECT_EQ(other.hazards, first.hazards) << id << " " << name(order);
            EXPECT_EQ(other.requests, first.requests) << id << " " << name(order);
            EXPECT_EQ(other.warp_steps, first.warp_steps) << id << " " << name(order);
        }
    }
}

class TraceOfFault : public testing::Test {
  protected:
    std::filesystem::path path_ =
        std::filesystem::temp_directory_path() / ("warptree-exhibit-" + std::to_string(getpid()) + ".wtrace");
    void TearDown() override { std::filesystem::remove(path_); }
};

// With a race, a combine may read a value of a later step.
TEST_F(TraceOfFault, SurvivesAFile) {
    for (const char* id : {"missing-barrier", "missing-syncwarp", "barrier-in-branch", "shuffle-orders-nothing"}) {
        for (const WarpOrder order : kWarpOrders) {
            const std::uint32_t block = id == std::string_view("shuffle-orders-nothing") ? 32 : 128;
            const Trace t = runs::run_any(exhibit(id, 300, block, order));
            save(t, path_);
            EXPECT_EQ(load(path_), t) << id << " " << name(order);
        }
    }
}

TEST(Exhibits, AValueThatDependsOnItselfIsNoTrace) {
    Trace t = runs::run_any(exhibit("missing-syncwarp", 128, 64, WarpOrder::reverse));
    check(t);
    auto& nodes = t.launches.front().nodes;
    const auto last = std::find_if(nodes.rbegin(), nodes.rend(), [&](const Node& n) {
        return n.kind == NodeKind::combine && n.left != kNone && nodes[n.left].kind == NodeKind::combine;
    });
    ASSERT_NE(last, nodes.rend());
    nodes[last->left].right_or_element = static_cast<std::uint32_t>(&*last - nodes.data());
    EXPECT_THROW(check(t), CorruptTrace);
}

TEST_P(Orders, BarrierInBranchNeverHangs) {
    for (const auto& [n, block] : {std::pair{1U, 2U}, {31U, 32U}, {128U, 128U}, {1000U, 128U}, {3000U, 1024U}}) {
        const Trace t = runs::run_any(exhibit("barrier-in-branch", n, block, GetParam()));
        const Launch& l = t.launches.front();
        EXPECT_FALSE(t.completed());
        EXPECT_FALSE(t.pass);
        EXPECT_EQ(l.stalled_blocks, 1U) << "the first that is stuck ends the run";
        EXPECT_EQ(l.totals().barriers, 1U) << "only the one after the load";
        EXPECT_TRUE(l.outputs.empty());
        const auto groups = stall_groups(l);
        ASSERT_EQ(groups.size(), 2U);
        const StallGroup& in = groups.front();
        EXPECT_EQ(in.step, step(l, "s = " + std::to_string(block / 2)));
        EXPECT_EQ(in.threads, (std::vector{std::pair{0U, block / 2 - 1}}));
        EXPECT_EQ(in.waiting, block / 2);
        EXPECT_EQ(in.expected, block);
        const StallGroup& after = groups[1];
        EXPECT_EQ(after.threads, (std::vector{std::pair{block / 2, block - 1}}));
        EXPECT_LT(in.line, after.line);
        EXPECT_EQ(after.expected, block);
    }
}

TEST(Exhibits, ADeadlockIsReported) {
    RunOptions o = exhibit("barrier-in-branch", 256, 128);
    const Trace t = runs::run_any(o);
    const auto r = nlohmann::json::parse(report_json(t));
    EXPECT_TRUE(r["result"].is_null());
    EXPECT_EQ(r["completed"], false);
    EXPECT_EQ(r["pass"], false);
    ASSERT_EQ(r["stalls"].size(), 2U);
    EXPECT_EQ(r["stalls"][0]["step"], "s = 64");
    EXPECT_EQ(r["stalls"][0]["waiting"], 64);
    EXPECT_EQ(r["stalls"][0]["expected"], 128);
    EXPECT_EQ(r["stalls"][1]["threads"], nlohmann::json::parse("[[64, 127]]"));
    EXPECT_THAT(report_text(t), HasSubstr("threads 0-63 wait at line"));
    EXPECT_THAT(report_text(t), HasSubstr("completes only when all 128 threads of the block arrive"));
    EXPECT_THAT(report_text(t), HasSubstr("result none"));
    o.finish = Finish::relaunch;
    EXPECT_EQ(runs::run_any(o).launches.size(), 1U);
    o.finish = Finish::atomic;
    EXPECT_FALSE(runs::run_any(o).completed());
    o.window = {0, 0};
    EXPECT_FALSE(runs::run_any(o).completed()) << "though no block is kept";
    o.backend = Backend::cuda;
    EXPECT_THROW(resolve(o), OptionError);
}

TEST(Exhibits, ReportNamesTheRace) {
    const auto r = nlohmann::json::parse(report_json(runs::run_any(exhibit("missing-barrier", 128, 128))));
    EXPECT_EQ(r["pass"], false);
    EXPECT_NE(r["result"], r["reference"]);
    EXPECT_EQ(r["order"], "in-order");
    EXPECT_FALSE(r["on_gpu"].get<std::string>().empty());
    ASSERT_EQ(r["hazards"].size(), 63U);
    const auto& h = r["hazards"][0];
    EXPECT_EQ(h["word"], 32);
    EXPECT_EQ(h["step"], "s = 32");
    EXPECT_EQ(h["reader"]["thread"], 0);
    EXPECT_EQ(h["reader"]["warp"], 0);
    EXPECT_EQ(h["writer"]["thread"], 32);
    EXPECT_EQ(h["writer"]["warp"], 1);
    EXPECT_EQ(h["writer"]["step"], "s = 64");
    EXPECT_EQ(h["writer"]["file"], "missing_barrier.cu");
    EXPECT_GT(h["writer"]["line"], 0);
    EXPECT_FALSE(
        nlohmann::json::parse(report_json(runs::run_any(exhibit("sequential", 128, 128)))).contains("hazards"));
}

TEST(Exhibits, SayWhatGoesWrongAndWhatAGpuMayDo) {
    unsigned seen = 0;
    for (const StrategyInfo& s : strategies()) {
        EXPECT_EQ(s.hazard.empty(), s.family != Family::exhibit) << s.id;
        EXPECT_EQ(s.on_gpu.empty(), s.family != Family::exhibit) << s.id;
        seen += s.family == Family::exhibit ? 1 : 0;
    }
    EXPECT_EQ(seen, 12U);
}

} // namespace
} // namespace warptree
