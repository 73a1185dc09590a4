// What graders read. Held against what their own documents say, by fields and sums.
#include "app/run/check/grades.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warptree::tests {
namespace {

using namespace runs;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

CheckRun run_of(std::uint64_t n, const std::string& reason = {}) {
    CheckRun run;
    run.n = n;
    run.block = "256";
    run.pass = reason.empty();
    run.reason = reason;
    return run;
}

CheckResult half_right() {
    CheckResult r;
    r.file = "hand-in/a.cu";
    r.pass = false;
    r.runs = {run_of(1), run_of(33, "the result is 1 and should be 2"), run_of(64)};
    r.counter_example = 1;
    r.counter_example_report = "the whole story";
    return r;
}

CheckResult does_not_compile() {
    CheckResult r;
    r.file = "hand-in/b.cu";
    r.pass = false;
    r.reason = "b.cu:3:5: error: nowhere";
    compile::Diagnostic d;
    d.file = "b.cu";
    d.line = 3;
    d.message = "100% wrong, here: now\nhere";
    r.diagnostics = {d};
    return r;
}

TEST(Grades, ShareThePointsAmongTheRuns) {
    const auto tests = graded(half_right(), 3, 10);
    ASSERT_THAT(tests, SizeIs(3));
    EXPECT_EQ(tests[0].name, "n 1, block 256, in-order");
    EXPECT_EQ(tests[0].most + tests[1].most + tests[2].most, 10U);
    EXPECT_EQ(tests[0].points, 4U);
    EXPECT_EQ(tests[1].points, 0U);
    EXPECT_EQ(tests[1].most, 3U);
    EXPECT_THAT(tests[1].output, HasSubstr("the result is 1 and should be 2\n\nthe whole story"));
}

TEST(Grades, GiveNoneForWhatWasNotRun) {
    const auto none = graded(does_not_compile(), 6, 10);
    ASSERT_THAT(none, SizeIs(1));
    EXPECT_EQ(none[0].name, "compile");
    EXPECT_EQ(none[0].points, 0U);
    EXPECT_EQ(none[0].most, 10U);
    CheckResult crashed = half_right();
    crashed.reason = "its process was ended by signal 11: Segmentation fault";
    crashed.signal = 11;
    const auto some = graded(crashed, 6, 12);
    ASSERT_THAT(some, SizeIs(4));
    EXPECT_EQ(some[3].name, "process");
    EXPECT_EQ(some[3].most, 6U) << "of three runs that were not done";
    std::uint64_t most = 0;
    for (const GradedTest& test : some) most += test.most;
    EXPECT_EQ(most, 12U);
}

TEST(Grades, AreGradescopes) {
    const auto one = nlohmann::json::parse(gradescope_json({half_right()}, 3, 3));
    ASSERT_THAT(one["tests"], SizeIs(3));
    EXPECT_EQ(one["tests"][0]["status"], "passed");
    EXPECT_EQ(one["tests"][0]["score"], 1);
    EXPECT_EQ(one["tests"][1]["status"], "failed");
    EXPECT_EQ(one["tests"][1]["score"], 0);
    EXPECT_EQ(one["tests"][1]["max_score"], 1);
    EXPECT_EQ(one["tests"][1]["name"], "n 33, block 256, in-order");
    const auto two = nlohmann::json::parse(gradescope_json({half_right(), does_not_compile()}, 3, 3));
    ASSERT_THAT(two["tests"], SizeIs(4));
    EXPECT_EQ(two["tests"][3]["name"], "hand-in/b.cu: compile");
}

TEST(Grades, AreClassroom50s) {
    const Classroom50 about{
        "course", "reduce", "submit/1", "https://commit", "https://release", "https://review", "2026-01-02T03:04:05Z"};
    const auto j = nlohmann::json::parse(classroom50_json({half_right()}, 3, 10, about));
    EXPECT_EQ(j["schema"], "classroom50/result/v1");
    for (const char* field : {"classroom", "assignment", "submission", "commit", "release", "review", "datetime"}) {
        EXPECT_TRUE(j[field].is_string() && !j[field].get<std::string>().empty()) << field;
    }
    EXPECT_TRUE(j["score"].is_number_integer());
    std::uint64_t score = 0, most = 0;
    for (const auto& test : j["tests"]) {
        score += test["score"].get<std::uint64_t>();
        most += test["max-score"].get<std::uint64_t>();
        EXPECT_EQ(test["passed"].get<bool>(), test["score"] == test["max-score"]);
        EXPECT_TRUE(test["test-name"].is_string());
    }
    EXPECT_EQ(j["score"], score);
    EXPECT_EQ(j["max-score"], most);
    EXPECT_EQ(most, 10U);
}

TEST(Grades, AnnotateTheLine) {
    EXPECT_EQ(annotations(does_not_compile()), "::error file=hand-in/b.cu,line=3::100%25 wrong, here: now%0Ahere\n");
    CheckResult r = half_right();
    EXPECT_EQ(annotations(r),
              "::error file=hand-in/a.cu::n 33, block 256, in-order: the result is 1 and should be 2\n");
    CheckFinding f;
    f.kind = "race-shared";
    f.title = "race: a, b";
    f.severity = "fault";
    f.file = "a.cu";
    f.line = 9;
    f.text = "thread 0 reads";
    r.runs[1].findings = {f, f};
    r.runs.push_back(r.runs[1]);
    EXPECT_EQ(annotations(r),
              "::error file=hand-in/a.cu,line=9,title=race%3A a%2C b::n 33, block 256, in-order: thread 0 "
              "reads\n")
        << "each place once";
    r.file = "x,\n\xff.cu";
    r.runs[1].findings.clear();
    r.runs.pop_back();
    EXPECT_THAT(annotations(r), StartsWith("::error file=x%2C%0A\xef\xbf\xbd.cu::"));
    r = half_right();
    r.runs[1].pass = true;
    r.counter_example.reset();
    EXPECT_EQ(annotations(r), "::error file=hand-in/a.cu::a hidden case fails\n") << "no more than that";
    r.pass = true;
    EXPECT_EQ(annotations(r), "");
}

} // namespace
} // namespace warptree::tests
