// The computed sentences: they agree with the counters, and are grammatical.
#include "app/run/run.hpp"
#include "app/views/branches.hpp"
#include "app/views/running.hpp"
#include "app/views/summary_kernel.hpp"
#include "tests/support/kernel_text.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <regex>

namespace warptree::scene {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const Fact* fact(const StepSummary& summary, std::string_view label) {
    for (const Fact& it : summary.facts) {
        if (it.label == label) {
            return &it;
        }
    }
    return nullptr;
}

TEST(Summary, TheLastBlockIsTold) {
    RunOptions o;
    o.strategy = "sequential";
    o.n = 256;
    o.block = 64;
    o.finish = Finish::last_block;
    const Trace t = runs::run_any(o);
    const Launch& l = t.launches.front();
    std::vector<std::string> told;
    for (std::uint32_t s = 0; s < l.steps.size(); ++s) {
        const std::string sentence = summarize(t, {0, s, 1}).sentence;
        if (sentence.find("The last block to arrive") != std::string::npos) {
            told.push_back(sentence);
            EXPECT_NE(l.steps[s].kind, StepKind::stage);
        }
    }
    ASSERT_EQ(told.size(), 2U) << "its load and its store";
    EXPECT_THAT(told[0], StartsWith("The last block to arrive loads the partial results of all."));
    EXPECT_THAT(told[1], StartsWith("The last block to arrive stores the total."));
    o.finish = Finish::relaunch;
    const Trace again = runs::run_any(o);
    for (std::uint32_t s = 0; s < again.launches[0].steps.size(); ++s) {
        EXPECT_THAT(summarize(again, {0, s, 1}).sentence, Not(HasSubstr("last block to arrive")));
    }
}

// Each thread adds to 0 first: that changes nothing whatever is added. That all elements are 0 does not count.
TEST(Summary, CombinesThatChangeNothingAreThoseOfTheIdentityNotOfValues) {
    RunOptions o;
    o.n = 128;
    o.block = 32;
    o.kernel.n_given = true;
    o.kernel.arguments["in"] = "zeros";
    o.kernel.text = "__global__ void k(const int* in, int* out, int n) {\n    int sum = 0;\n"
                    "    for (int i = threadIdx.x; i < n; i += blockDim.x)\n        sum += in[i];\n"
                    "    out[threadIdx.x] = sum;\n}\n";
    RunControl control;
    const Trace t = runs::run_kernel_file(o, control);
    const Launch& l = t.launches.front();
    std::string all;
    for (std::uint32_t s = 0; s < l.steps.size(); ++s) {
        all += summarize(t, {0, s, 0}).sentence + "\n";
    }
    EXPECT_THAT(all, HasSubstr(" combines change nothing, whatever the data: "));
    EXPECT_EQ(t.tree.padding_combines, std::uint64_t{l.grid} * 32);
    EXPECT_EQ(t.tree.combines, std::uint64_t{l.grid} * 128);
}

TEST(Summary, TwoThreadsAreBoth) {
    const Trace t = runs::run_any([] {
        RunOptions o;
        o.strategy = "sequential";
        o.n = o.block.emplace(2);
        return o;
    }());
    EXPECT_THAT(summarize(t, {0, 0, 1}).sentence, StartsWith("Both threads load"));
}

TEST(Summary, TheFirstBlockThatWaitsIsTold) {
    RunOptions o;
    o.strategy = "vectorized";
    o.n = 5000;
    o.block = 64;
    const Trace t = runs::run_any(o);
    ASSERT_EQ(t.launches.front().grid, 3U);
    std::string all;
    for (std::uint32_t s = 0; s < t.launches.front().steps.size(); ++s) {
        all += summarize(t, {0, s, 1}).sentence + "\n";
    }
    EXPECT_THAT(all, HasSubstr("Every block publishes its partial result and the flag that says so as one word"));
    EXPECT_THAT(all, HasSubstr("The first block waits for the others and loads their partial results"));
    EXPECT_THAT(all, HasSubstr("The first block stores the total"));
    EXPECT_THAT(all, Not(HasSubstr("ticket")));
    o.n = 1000; // a single block publishes nothing
    const Trace alone = runs::run_any(o);
    const auto last = static_cast<std::uint32_t>(alone.launches.front().steps.size() - 1);
    EXPECT_THAT(summarize(alone, {0, last, 1}).sentence, HasSubstr("1 of 64 threads stores to out"));
}

TEST(Summary, SaysWhereAnAtomicIsALoop) {
    RunOptions o;
    o.strategy = "block-atomic";
    o.n = 256;
    o.block = 64;
    for (const auto& [op, loop] : {std::pair{Operator::product, true}, {Operator::sum, false}}) {
        o.op = op;
        const Trace t = runs::run_any(o);
        const auto last = static_cast<std::uint32_t>(t.launches[0].steps.size() - 1);
        const std::string sentence = summarize(t, {0, last, 1}).sentence;
        EXPECT_THAT(sentence, HasSubstr("4 atomic operations on out, all on one word: each waits for those before it"));
        EXPECT_EQ(sentence.find("compare-and-swap") != std::string::npos, loop) << sentence;
    }
}

TEST(Summary, SaysHowManyThreadsCombineAndWhichWarpsDiverge) {
    const Trace& modulo = tests::trace_of({"interleaved-modulo", 64, 64});
    const StepSummary s4 = summarize(modulo, tests::moment_at(modulo, "s = 4"));
    EXPECT_EQ(s4.title, "s = 4");
    EXPECT_THAT(s4.sentence, HasSubstr("8 of 64 threads combine"));
    EXPECT_THAT(s4.sentence, HasSubstr("both warps have inactive lanes"));
    EXPECT_THAT(s4.sentence, Not(HasSubstr("conflict")));
    ASSERT_NE(fact(s4, "warps diverging"), nullptr);
    EXPECT_EQ(fact(s4, "warps diverging")->value, "2");
    EXPECT_TRUE(fact(s4, "warps diverging")->attention);
}

TEST(Summary, NamesConflictsWithTheirPrice) {
    const Trace& strided = tests::trace_of({"interleaved-strided", 256, 256});
    const auto moment = tests::moment_at(strided, "s = 4");
    const Counters& c = strided.launches[0].steps[moment.step].counters;
    ASSERT_GT(c.shared_load_wavefronts, c.shared_load_ideal);
    const StepSummary s4 = summarize(strided, moment);
    EXPECT_THAT(s4.sentence, HasSubstr("onflict"));
    EXPECT_THAT(s4.sentence, testing::ContainsRegex(std::to_string(c.shared_load_wavefronts) + " wavefronts .* " +
                                                    std::to_string(c.shared_load_ideal) + "[ ,.]"));
    EXPECT_TRUE(fact(s4, "load wavefronts")->attention);
    EXPECT_EQ(fact(s4, "load wavefronts")->value, std::to_string(c.shared_load_wavefronts));
}

TEST(Summary, PointsAtUselessCombines) {
    const Trace& tail = tests::trace_of({"unroll-last-warp", 128, 64});
    const auto moment = tests::moment_at(tail, "s = 2");
    const Counters& c = tail.launches[0].steps[moment.step].counters;
    ASSERT_LT(c.useful_combines, c.combines);
    EXPECT_THAT(summarize(tail, moment).sentence,
                HasSubstr(std::to_string(c.combines - c.useful_combines) + " of " + std::to_string(c.combines)));
    EXPECT_TRUE(fact(summarize(tail, moment), "combines")->attention);
}

TEST(Summary, TellsWhatTheHostDoes) {
    const Trace& trace = tests::trace_of({"sequential", 1000, 256});
    ASSERT_EQ(trace.host_partials, 4U);
    const StepSummary host = summarize(trace, {1, 0, 1});
    EXPECT_THAT(host.sentence, HasSubstr("4 partial"));
    EXPECT_THAT(host.sentence, HasSubstr(to_string(trace.result)));
}

TEST(Summary, SaysWhatAPhaseIsFor) {
    const Trace& blelloch = tests::trace_of({"scan-blelloch", 64, 64});
    EXPECT_THAT(summarize(blelloch, tests::moment_at(blelloch, "up: s = 4")).sentence,
                StartsWith("The sums of neighbouring stretches. "));
    EXPECT_THAT(summarize(blelloch, tests::moment_at(blelloch, "down: s = 4")).sentence,
                HasSubstr("8 of 64 threads combine"));
    const Trace& look = tests::trace_of({"scan-lookback", 96, 32}); // three tiles, all but the first look back
    EXPECT_THAT(summarize(look, tests::moment_at(look, "look back: mask = 16")).sentence,
                StartsWith("A lane asks each of 32 tiles before"));
}

TEST(Summary, NamesRaces) {
    Trace trace = tests::trace_of({"sequential", 64, 64});
    trace.launches[0].steps[2].counters.hazards = 3;
    EXPECT_THAT(summarize(trace, {0, 2, 1}).sentence, HasSubstr("Threads race: "));
    EXPECT_THAT(summarize(trace, {0, 1, 1}).sentence, Not(HasSubstr("race")));
}

// Either side of a branch is issued to the whole warp, in the step in which its lanes do different things.
TEST(Summary, CountsBothSidesOfABranch) {
    RunOptions o;
    o.kernel.text = "__global__ void branch(const int* in, int* out, int n) {\n"
                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    int v = in[i];\n"
                    "    if (threadIdx.x % 4 == 0)\n        out[i] = v * 3;\n    else\n        out[i] = v / 2;\n}\n";
    RunControl control;
    const Trace trace = runs::run_kernel_file(o, control);
    const Launch& launch = trace.launches.front();
    ASSERT_EQ(launch.steps.size(), 2U);
    const auto fact = [&](std::uint32_t step, const std::string& label) {
        const StepSummary summary = summarize(trace, {0, step, 0});
        const auto found = std::ranges::find(summary.facts, label, &Fact::label);
        return found == summary.facts.end() ? std::string() : found->value + " " + found->note;
    };
    EXPECT_EQ(fact(0, "lanes active"), "100 % 1,024 of 1,024 issued");
    EXPECT_EQ(fact(0, "warps diverging"), "0 of 32 active");
    EXPECT_EQ(fact(1, "lanes active"), "50 % 1,024 of 2,048 issued, a split warp twice");
    EXPECT_EQ(fact(1, "warps diverging"), "32 of 32 active");
    EXPECT_EQ(launch.warp_step(0, 1, 0).other_path, ~0x11111111U) << "8 of 32 take the branch";
}

TEST(Summary, HasAnOutputAsItIsAfterTheStep) {
    const Trace trace = tests::run_text("__global__ void k(const int* in, int* out) {\n"
                                        "  __shared__ int s[32];\n  int t = threadIdx.x;\n"
                                        "  if (t < 2) out[t] = in[t] + 5;\n  s[t] = in[t];\n  __syncthreads();\n"
                                        "  out[t] = s[31 - t];\n}");
    const auto& steps = trace.launches[0].steps;
    ASSERT_GE(steps.size(), 2U);
    const auto after = [&](std::size_t step) {
        return output_after(trace, 0, static_cast<std::uint32_t>(step)).value_or(Fact{}).value;
    };
    const auto first = std::ranges::find_if(steps, [](const Step& s) { return s.counters.global_store_requests != 0; });
    EXPECT_EQ(after(static_cast<std::size_t>(first - steps.begin())), "5 6 · …");
    EXPECT_EQ(after(steps.size() - 1), "31 30 29 …");
    EXPECT_FALSE(output_after(trace, 1, 0)) << "the host's step";
}

TEST(Summary, SaysHowFarApartLanesAreWhereSectorsAreWasted) {
    const auto load = [](const std::string& index, const std::string& guard = "") {
        const Trace trace = tests::run_text("__global__ void k(const int* in, int* out) {\n  int t = threadIdx.x;\n  " +
                                                guard + "out[t] = in[" + index + "];\n}",
                                            [](RunOptions& o) { o.n = 1024; });
        return summarize(trace, {0, 0, 1}).sentence;
    };
    EXPECT_THAT(load("7 * t"),
                testing::HasSubstr(" Lanes load from addresses 7 words apart: 28 sectors a request where 4 would do."));
    EXPECT_THAT(load("32 * (31 - t)"), testing::HasSubstr(" 32 words apart: 32 sectors a request where 4 would do."));
    EXPECT_THAT(load("t", "if (t % 4 == 0) "),
                testing::HasSubstr(" 4 words apart: 4 sectors a request where 1 would do."))
        << "those that are active";
    for (const char* index : {"t", "31 - t", "t * t", "0"}) {
        EXPECT_THAT(load(index), testing::Not(testing::HasSubstr("apart"))) << index;
    }
}

TEST(Summary, SaysNothingOfWarpsThatAccessNoMemory) {
    const Trace trace =
        tests::run_text("#include <cstdio>\n__global__ void k(const int* in) { printf(\"%d\", threadIdx.x); }");
    for (const Fact& f : summarize(trace, {0, 0, 1}).facts) {
        EXPECT_NE(f.label, "warps diverging") << f.note;
    }
}

TEST(Summary, OfNothingSaysSo) { EXPECT_FALSE(summarize(Trace{}, {}).sentence.empty()); }

class SummaryOf : public testing::TestWithParam<tests::Case> {};
INSTANTIATE_TEST_SUITE_P(Traces, SummaryOf, testing::ValuesIn(tests::cases()));

TEST_P(SummaryOf, EveryStepReadsAsEnglish) {
    const Trace& trace = tests::trace_of(GetParam());
    const std::regex one_of_many(
        R"((^|[^0-9,.])1 (threads|warps|lanes|combines|wavefronts|partials|sectors|requests|blocks|barriers)\b(?! of))");
    const std::regex many_of_one(
        R"((^|[^0-9])([02-9]|\d{2,}) (thread|warp|lane|wavefront|sector|request|block|barrier)\b(?! (shuffle|operation)))");
    for (const session::Moment& moment : tests::moments(trace)) {
        const StepSummary summary = summarize(trace, moment);
        SCOPED_TRACE(summary.title + ": " + summary.sentence);
        EXPECT_FALSE(summary.title.empty());
        EXPECT_FALSE(std::regex_search(summary.sentence, one_of_many));
        EXPECT_FALSE(std::regex_search(summary.sentence, many_of_one));
        EXPECT_FALSE(std::regex_search(summary.sentence, std::regex(R"(\b1 of 1 |\b0 of (?!each ))")));
        EXPECT_THAT(summary.sentence, Not(HasSubstr("  ")));
        EXPECT_TRUE(summary.sentence.ends_with("."));
        for (const Fact& it : summary.facts) {
            EXPECT_FALSE(it.label.empty());
            EXPECT_FALSE(it.value.empty());
            EXPECT_FALSE(std::regex_search(it.note, one_of_many)) << it.label << ": " << it.note;
        }
    }
}

// Where branches split warps, it is not said that all lanes are active: of loops of unequal length the accesses are counted.
TEST(Summary, CountsLanesAtAccessesWhereBranchesSplitWarps) {
    const Trace trace =
        tests::run_text("__global__ void k(const int* in, int* out, int n) {\n  int t = threadIdx.x, v = 0;\n"
                        "  for (int i = t; i < n; i += 32) v += in[i];\n"
                        "  if (t % 4 == 3) for (int k = 0; k < t % 8; k++) v = v * k + 1;\n  out[t] = v;\n}\n",
                        [](RunOptions& o) { o.n = 40; });
    const Launch& launch = trace.launches[0];
    bool split = false;
    for (std::uint32_t step = 0; step < launch.steps.size(); ++step) {
        const StepSummary summary = summarize(trace, {0, step, 1});
        EXPECT_EQ(fact(summary, "lanes active") == nullptr, splits_unseen(launch, step)) << launch.steps[step].label;
        const Fact* const held = fact(summary, "lanes at accesses");
        split = split || (held != nullptr && held->value == "40 of 64" && held->attention);
    }
    EXPECT_TRUE(split);
}

TEST_P(SummaryOf, RunsALineOfTheSource) {
    const Trace& trace = tests::trace_of(GetParam());
    for (session::Moment moment : tests::moments(trace)) {
        const bool host = moment.launch == trace.launches.size();
        if (tests::is_untraced_finish(trace, moment)) {
            continue;
        }
        for (const float phase : {0.1F, 0.5F, 0.9F, 1.0F}) {
            moment.phase = phase;
            EXPECT_EQ(running_line(trace, moment).known(), !host) << summarize(trace, moment).title << " at " << phase;
        }
    }
}

TEST_P(SummaryOf, DefaultsToARequestOfTheStepThatCostsMost) {
    const Trace& trace = tests::trace_of(GetParam());
    for (const session::Moment& moment : tests::moments(trace)) {
        const std::uint32_t chosen = default_request(trace, moment, {});
        int most = -1;
        if (moment.launch < trace.launches.size()) {
            for (const Request& it : trace.launches[moment.launch].requests) {
                if (it.step == moment.step && is_shared(it.kind)) {
                    most = std::max(most, it.wavefronts - it.ideal);
                }
            }
        }
        if (most < 0) {
            EXPECT_EQ(chosen, kNone);
            continue;
        }
        const Request& request = trace.launches[moment.launch].requests.at(chosen);
        EXPECT_EQ(request.step, moment.step);
        EXPECT_EQ(request.wavefronts - request.ideal, most);
    }
}

TEST(DefaultRequest, PrefersTheWarpOfTheTarget) {
    const Trace& trace = tests::trace_of({"interleaved-modulo", 64, 64});
    const std::uint32_t chosen = default_request(trace, {0, 1, 1}, {Target::Kind::thread, 0, 0, 40});
    EXPECT_EQ(trace.launches[0].requests.at(chosen).warp, 1U);
}

} // namespace
} // namespace warptree::scene
