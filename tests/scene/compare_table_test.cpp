// What a comparison says: counts of the traces, signs and verdicts, sentences, and its export formats.
#include "app/features/compare/compare_table.hpp"
#include "app/features/compare/compare_timing.hpp"
#include "tests/support/kernel_text.hpp"
#include "tests/support/scene_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace warptree::scene {
namespace {

using testing::HasSubstr;
using tests::trace_of;

std::string changed(const tests::Case& before, const tests::Case& after) {
    const Trace &a = trace_of(before), &b = trace_of(after);
    return what_changed(a, b, compare_trees(a, b));
}

const CompareRow& row(const std::vector<CompareRow>& rows, std::string_view id) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const CompareRow& r) { return r.id == id; });
    if (found == rows.end()) {
        ADD_FAILURE() << "no row " << id;
        return rows.front();
    }
    return *found;
}

std::vector<ComparedTrace> three() {
    return {{&trace_of({"interleaved-modulo", 64, 64}), "interleaved-modulo", "B = 64, i32"},
            {&trace_of({"interleaved-strided", 64, 64}), "interleaved-strided", "B = 64, i32"},
            {&trace_of({"sequential", 64, 64}), "sequential", "B = 64, i32"}};
}

// Loads of a strided block of 64 at stride s: 32 / s threads of warp 0 load words 2 s apart; distinct words of one bank
// need separate wavefronts. Both operands, and the store, take the same number.
std::uint64_t strided_excess() {
    std::uint64_t excess = 0;
    for (std::uint32_t s = 1; s < 64; s *= 2) {
        std::uint32_t asked[32] = {}, most = 0;
        for (std::uint32_t t = 0; 2 * s * t < 64; ++t) {
            most = std::max(most, ++asked[2 * s * t % 32]);
        }
        excess += std::uint64_t{3} * (most - 1);
    }
    return excess;
}

TEST(CompareWords, SayWhatAChangeBought) {
    EXPECT_EQ(changed({"interleaved-modulo", 64, 64}, {"interleaved-strided", 64, 64}),
              "Same tree, same 63 combines, by other threads; warp 1 retires after the load; 5 diverging warp-steps "
              "instead of 11; " +
                  std::to_string(strided_excess()) + " extra wavefronts.");
}

TEST(CompareWords, SayWhenNothingDiffers) {
    EXPECT_EQ(changed({"sequential", 64, 64}, {"sequential", 64, 64}),
              "Same tree, same 63 combines, by the same threads; no count differs.");
    EXPECT_THAT(changed({"interleaved-strided", 64, 64}, {"sequential", 64, 64}),
                HasSubstr("no extra wavefronts instead of " + std::to_string(strided_excess())));
    EXPECT_THAT(changed({"interleaved-strided", 64, 64}, {"sequential", 64, 64}),
                HasSubstr("Another tree of the same 63 combines"));
}

TEST(CompareWords, NameLaunchesBlocksAndUselessCombines) {
    EXPECT_THAT(changed({"sequential", 1000, 64}, {"sequential", 1000, 64, Finish::relaunch}),
                HasSubstr("2 launches instead of 1"));
    EXPECT_THAT(changed({"sequential", 256, 64}, {"first-add", 256, 64}), HasSubstr("2 blocks instead of 4"));
    EXPECT_THAT(changed({"first-add", 256, 128}, {"unroll-last-warp", 256, 128}), HasSubstr("useless"));
}

// What is worth a sentence comes first, with the titles.
TEST(CompareWords, BeginWithWhatMattersMost) {
    const auto traced = [](const std::string& text) {
        return tests::run_text(text, [](RunOptions& o) { o.n = o.block.emplace(64); });
    };
    const auto sum = [&](const std::string& barrier) {
        return traced(
            "__global__ void sum(const int* in, int* out) {\n  __shared__ int s[64];\n  int t = threadIdx.x;\n"
            "  s[t] = in[t];\n  __syncthreads();\n  for (int d = 32; d > 0; d /= 2) {\n"
            "    if (t < d) s[t] += s[t + d];\n    " +
            barrier + "\n  }\n  if (t == 0) out[0] = s[0];\n}\n");
    };
    const Trace racy = sum(""), right = sum("__syncthreads();");
    const ComparedTrace race{&racy, "race.cu", ""}, ok{&right, "ok.cu", ""};
    EXPECT_THAT(what_matters(race, ok), testing::MatchesRegex("race.cu races [0-9]+ times, ok.cu never."));
    EXPECT_EQ(what_matters(ok, race), what_matters(race, ok));
    EXPECT_EQ(what_matters(ok, ok), "");
    const ComparedTrace both[] = {race, ok}, other[] = {ok, race};
    const CompareTable mended = make_compare_table(both, {}, nullptr), broken = make_compare_table(other, {}, nullptr);
    EXPECT_THAT(mended.changes[0], testing::StartsWith("race.cu races "));
    EXPECT_EQ(row(mended.run, "barriers").cells[1].verdict, Verdict::other) << "they mend the races";
    EXPECT_EQ(row(broken.run, "barriers").cells[1].verdict, Verdict::better);

    const auto copy = [&](const std::string& index) {
        return traced("__global__ void copy(const int* in, int* out) {\n  out[" + index + "] = in[threadIdx.x];\n}\n");
    };
    const Trace near = copy("threadIdx.x"), far = copy("threadIdx.x * 8");
    const ComparedTrace dense{&near, "dense.cu", ""}, strided{&far, "strided.cu", ""};
    EXPECT_EQ(what_matters(strided, dense),
              "dense.cu asks for 16 sectors where strided.cu asks for 72 sectors, 4.5 times "
              "less global-memory traffic.");
    EXPECT_EQ(what_changed(near, far, compare_trees(near, far)), "72 global sectors instead of 16.");
    EXPECT_EQ(what_changed(near, near, compare_trees(near, near)), "No count differs.");
}

TEST(CompareTable, CallsNothingRightThatIsNotChecked) {
    Trace unchecked = trace_of({"sequential", 64, 64});
    unchecked.kernel = "sum";
    for (const char* expected : {"", "none", "sum"}) {
        unchecked.expected = expected;
        const std::vector<ComparedTrace> columns{{&unchecked, "mine.cu", ""}, three().front()};
        const CompareTable table = make_compare_table(columns, {}, nullptr);
        const CompareRow& result = row(table.run, "result");
        EXPECT_EQ(result.cells[0].text, std::string(expected) == "sum" ? "right" : "not checked");
        EXPECT_EQ(result.cells[1].text, "right");
    }
}

TEST(CompareTable, CountsWhatTheTracesCount) {
    const auto columns = three();
    const CompareTable table = make_compare_table(columns, {}, nullptr);
    EXPECT_TRUE(table.step.empty());
    ASSERT_EQ(table.changes.size(), 2U);
    const CompareRow& excess = row(table.run, "excess_wavefronts");
    EXPECT_EQ(excess.cells[0].value, 0.0);
    EXPECT_EQ(excess.cells[1].value, static_cast<double>(strided_excess()));
    EXPECT_EQ(excess.cells[1].delta, "+" + std::to_string(strided_excess()));
    EXPECT_EQ(excess.cells[1].verdict, Verdict::worse);
    EXPECT_EQ(excess.cells[2].delta, "=");
    EXPECT_EQ(excess.cells[2].verdict, Verdict::same);
    const CompareRow& lanes = row(table.run, "lane_efficiency");
    EXPECT_EQ(lanes.cells[0].text, "17.9 %");
    EXPECT_EQ(lanes.cells[1].verdict, Verdict::better) << "more is better here";
    EXPECT_EQ(row(table.run, "useful_combines").cells[2].value, 63.0);
    for (const CompareRow& r : table.run) {
        EXPECT_EQ(r.cells.size(), 3U) << r.id;
        EXPECT_NE(r.id, "registers") << "none were given";
        EXPECT_NE(r.id, "shuffles") << "none has any";
    }
}

TEST(CompareTable, FollowsTheStep) {
    const auto columns = three();
    const std::vector<session::ColumnMoment> at{
        {{0, 1, 1}, false, true}, {{0, 1, 1}, false, true}, {{0, 3, 1}, true, true}};
    const CompareTable table = make_compare_table(columns, at, nullptr);
    EXPECT_EQ(row(table.step, "step").cells[0].text, "s = 1");
    EXPECT_EQ(row(table.step, "step").cells[2].text, "waits");
    EXPECT_EQ(row(table.step, "step_divergent_warps").cells[0].value, 2.0);
    EXPECT_EQ(row(table.step, "step_divergent_warps").cells[1].delta, "\u22122");
    EXPECT_FALSE(row(table.step, "step_divergent_warps").cells[2].value.has_value());
    EXPECT_EQ(row(table.step, "step_lane_efficiency").cells[1].text, "100.0 %");
}

TEST(CompareTable, TakesRegistersOfTheRightKernel) {
    theory::ResourceTable kernels{"sm_90", "13.0", {}};
    kernels.kernels.push_back({"sequential", ElementType::i32, Operator::sum, 0, 16, 0, 0, 0});
    kernels.kernels.push_back({"sequential", ElementType::f64, Operator::sum, 0, 18, 0, 0, 0});
    const CompareTable table = make_compare_table(three(), {}, &kernels);
    EXPECT_FALSE(row(table.run, "registers").cells[0].value.has_value());
    EXPECT_EQ(row(table.run, "registers").cells[2].value, 16.0);
}

TEST(CompareTable, IsTakenAwayWhole) {
    auto columns = three();
    columns[0].title = "a \"quoted\", title";
    const CompareTable table = make_compare_table(columns, {}, nullptr);
    const std::string csv = compare_csv(table);
    EXPECT_THAT(csv, HasSubstr("metric,\"a \"\"quoted\"\", title\",interleaved-strided,sequential\n"));
    EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), table.run.size() + 1);
    const std::string markdown = compare_markdown(table);
    EXPECT_THAT(markdown, HasSubstr("|---|---:|---:|---:|\n"));
    std::istringstream lines(markdown);
    for (std::string line; std::getline(lines, line) && !line.empty();) {
        EXPECT_EQ(std::count(line.begin(), line.end(), '|'), 5) << line;
    }
    EXPECT_THAT(compare_text(table), HasSubstr("interleaved-strided after a \"quoted\", title: Same tree"));
    const auto json = nlohmann::json::parse(compare_json(columns, table));
    EXPECT_EQ(json["reports"].size(), 3U);
    EXPECT_EQ(json["metrics"].size(), table.run.size());
    EXPECT_EQ(json["changes"].size(), 2U);
}

timing::Point point(const char* variant, std::uint64_t n, std::uint32_t block, std::vector<double> samples) {
    timing::Point p;
    p.what.variant = variant;
    p.what.n = n;
    p.what.block = block;
    p.samples = std::move(samples);
    return p;
}

TEST(CompareTiming, TakesTheConditionThatCoversMost) {
    const timing::Series series{"a",
                                {},
                                {point("sequential", 1024, 64, {5e-6}), point("interleaved-modulo", 512, 128, {4e-6}),
                                 point("sequential", 512, 128, {3e-6, 1e-6, 2e-6})}};
    const MeasuredTimes times = measured_times(three(), series);
    EXPECT_EQ(times.known(), 2U);
    EXPECT_EQ(times.seconds[0], 4e-6);
    EXPECT_FALSE(times.seconds[1].has_value());
    EXPECT_EQ(times.seconds[2], 2e-6) << "the median";
    EXPECT_THAT(times.where, HasSubstr("a: n = 512, B = 128"));
    const CompareTable table = make_compare_table(three(), {}, nullptr, &series);
    EXPECT_EQ(row(table.run, "measured_seconds").cells[2].delta, "2\u00d7");
    EXPECT_EQ(row(table.run, "measured_seconds").cells[2].verdict, Verdict::better);
    const std::vector<timing::Series> all{{"none", {}, {}}, series, series};
    EXPECT_EQ(fitting_series(three(), all), &all[1]);
    EXPECT_EQ(fitting_series(three(), std::span(all).first(1)), nullptr);
}

TEST(CompareTiming, KnowsNothingOfOtherBanksAndTypes) {
    RunOptions o = tests::options_of({"sequential", 64, 64});
    o.banks = 16;
    const Trace banks = runs::run_any(o);
    o.banks = 32;
    o.type = ElementType::f64;
    const Trace doubles = runs::run_any(o);
    const std::vector<ComparedTrace> columns{{&banks, "sequential", ""}, {&doubles, "sequential", ""}};
    const timing::Series series{"a", {}, {point("sequential", 1024, 64, {5e-6})}};
    EXPECT_EQ(measured_times(columns, series).known(), 0U);
}

// A run that was cut off counts less of everything, which is no gain, and has no result that could be wrong.
TEST(CompareTable, PraisesNothingOfARunThatWasCutOff) {
    const auto run = [](const std::string& read) {
        return tests::run_text("__global__ void sum(const int* in, int* out, int n) {\n  __shared__ int s[32];\n"
                               "  int t = threadIdx.x;\n  s[t] = " +
                                   read +
                                   ";\n  for (int d = 16; d > 0; d /= 2) {\n    __syncthreads();\n"
                                   "    if (t < d) s[t] += s[t + d];\n  }\n  if (t == 0) out[0] = s[0];\n}\n",
                               [](RunOptions& o) {
                                   o.n = 20;
                                   o.kernel.arguments["in"] = "iota";
                                   o.kernel.expect = "sum";
                               });
    };
    const Trace right = run("t < n ? in[t] : 0"), cut = run("in[t]");
    ASSERT_TRUE(right.completed());
    ASSERT_FALSE(cut.completed());
    const std::vector<ComparedTrace> both{{&right, "right", "a"}, {&cut, "cut", "b"}};
    const CompareTable table = make_compare_table(both, {}, nullptr, nullptr);
    EXPECT_EQ(row(table.run, "result").cells[1].text, "out of bounds");
    for (const CompareRow& it : table.run) {
        EXPECT_NE(it.cells[1].verdict, Verdict::better) << it.id;
    }
    EXPECT_THAT(table.changes.front(), HasSubstr("ends without a result: out of bounds"));
    EXPECT_THAT(table.changes.front(), testing::Not(HasSubstr("wrong")));
}

} // namespace
} // namespace warptree::scene
