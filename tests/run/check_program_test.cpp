// Checking whole programs, as a course does: cases with arguments, what they print and end with, a harness of the course's.
#include "app/base/error.hpp"
#include "app/run/check/document.hpp"
#include "app/run/check/grades.hpp"
#include "app/run/check/program.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>

namespace warptree::tests {
namespace {

using runs::CheckRequest;
using runs::CheckResult;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using Json = nlohmann::json;

constexpr const char* kHarness = R"(
// points: 7
// case: 8 | points 3 | stdout ^right$
// case: 1000 | points 4 | hidden | name large | stdout ^right$
#include <cstdio>
#include <cstdlib>
#include <vector>
void twice(const int* in, int* out, int n);
int main(int argc, char** argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1;
    std::vector<int> in(n, 21), out(n, 0);
    int *a, *b;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    cudaMemcpy(a, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(b, 0, n * sizeof(int));
    twice(a, b, n);
    cudaMemcpy(out.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost);
    bool right = true;
    for (int v : out) right = right && v == 42;
    std::puts(right ? "right" : "wrong");
    cudaFree(a);
    cudaFree(b);
}
)";
std::string submission(const char* blocks, const char* more = "") {
    return std::string("__global__ void k(const int* in, int* out, int n) {\n"
                       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = 2 * in[i];\n}\n"
                       "void twice(const int* in, int* out, int n) { k<<<") +
           blocks + ", 128>>>(in, out, n); }\n" + more;
}

class CheckProgram : public testing::Test {
  protected:
    std::string file(const std::string& text, const std::string& name) {
        const std::string path = folder_.string() + "/" + name;
        std::ofstream(path) << text;
        return path;
    }
    CheckResult checked(const std::string& text, runs::ProgramCheck program) {
        CheckRequest request;
        request.program = std::move(program);
        request.limit = std::chrono::seconds(3);
        request.options.kernel.file = file(text, "mine.cu");
        request.options.strategy = "mine.cu";
        RunControl control;
        return runs::check_program(request, control, {});
    }
    CheckResult with_harness(const std::string& text) {
        runs::ProgramCheck program = runs::stated_cases(kHarness, "harness.cu");
        program.with = file(kHarness, "harness.cu");
        return checked(text, std::move(program));
    }
    TemporaryFolder folder_;
};

TEST_F(CheckProgram, ReadsCases) {
    const runs::ProgramCheck check = runs::stated_cases(
        "// points: 20\nint main() {}\n  // case: 1 \"a b\" | stdout ^(x|y) | exit 3 | hidden\n// case:\n", "c");
    EXPECT_EQ(check.points, 20U);
    ASSERT_THAT(check.cases, SizeIs(2));
    EXPECT_THAT(check.cases[0].arguments, ElementsAre("1", "a b"));
    EXPECT_THAT(check.cases[0].printed, ElementsAre("^(x|y)"));
    EXPECT_EQ(check.cases[0].exit, 3);
    EXPECT_TRUE(check.cases[0].hidden);
    EXPECT_THAT(check.cases[1].arguments, IsEmpty());
    for (const char* const wrong :
         {"// case: 1 | point 3", "// case: | stdout (", "// points: many", "// case: | exit 256"}) {
        EXPECT_THROW(runs::stated_cases(wrong, "c"), OptionError) << wrong;
    }
}

TEST_F(CheckProgram, CallsWhatASubmissionDefines) {
    const CheckResult right = with_harness(submission("(n + 127) / 128"));
    EXPECT_TRUE(right.pass) << right.reason << right.counter_example_report;
    EXPECT_THAT(right.runs, SizeIs(2));
    // A main of its own, which ends with 1, is set aside.
    const CheckResult own = with_harness(submission("(n + 127) / 128", "int main() { return 1; }\n"));
    EXPECT_TRUE(own.pass) << own.reason << own.counter_example_report;
    // One block is enough for 8 elements only.
    const CheckResult wrong = with_harness(submission("1"));
    ASSERT_THAT(wrong.runs, SizeIs(2));
    EXPECT_TRUE(wrong.runs[0].pass);
    EXPECT_FALSE(wrong.runs[1].pass);
    EXPECT_THAT(wrong.runs[1].reason, HasSubstr("the last is: wrong"));
}

TEST_F(CheckProgram, GradesWithoutTellingWhatIsHidden) {
    const CheckResult wrong = with_harness(submission("1"));
    EXPECT_FALSE(wrong.counter_example);
    const Json gradescope = Json::parse(runs::gradescope_json({wrong}, 2, 7));
    EXPECT_EQ(gradescope.at("tests")[0].at("score"), 3);
    EXPECT_FALSE(gradescope.at("tests")[0].contains("visibility"));
    EXPECT_EQ(gradescope.at("tests")[1].at("score"), 0);
    EXPECT_EQ(gradescope.at("tests")[1].at("max_score"), 4);
    EXPECT_EQ(gradescope.at("tests")[1].at("visibility"), "hidden");
    const std::string classroom = runs::classroom50_json({wrong}, 2, 7, {});
    EXPECT_EQ(Json::parse(classroom).at("score"), 3);
    EXPECT_THAT(classroom, Not(HasSubstr("large")));
    EXPECT_EQ(runs::annotations(wrong).find("1000"), std::string::npos);
    EXPECT_THAT(runs::annotations(wrong), HasSubstr("a hidden case fails"));
    EXPECT_THAT(runs::check_junit({wrong}), HasSubstr("large"));
    CheckResult again; // as the pool's processes tell it
    for (const runs::CheckRun& run : wrong.runs) {
        runs::take_line(runs::line_of(run), again);
    }
    ASSERT_THAT(again.runs, SizeIs(2));
    EXPECT_TRUE(again.runs[1].hidden);
    EXPECT_EQ(again.runs[1].points, 4U);
    EXPECT_EQ(again.runs[1].name, "large");
}

TEST_F(CheckProgram, JudgesWhatItPrintsEndsWithAndWhatIsFound) {
    const auto outcome = [&](const std::string& text, runs::ProgramCase wanted) {
        runs::ProgramCheck program;
        program.cases = {std::move(wanted)};
        const CheckResult result = checked(text, std::move(program));
        return result.pass ? "pass" : result.reason.empty() ? result.runs.front().reason : result.reason;
    };
    const std::string prints =
        "#include <cstdio>\nint main(int c, char** v) { puts(c > 1 ? v[1] : \"none\"); return c - 1; }\n";
    runs::ProgramCase one;
    one.arguments = {"hello"};
    one.exit = 1;
    one.printed = {"^h.*o$"};
    EXPECT_EQ(outcome(prints, one), "pass");
    one.exit = 0;
    EXPECT_THAT(outcome(prints, one), HasSubstr("it ended with code 1, and should with 0"));
    one.exit = 1;
    one.printed = {"^none$"};
    EXPECT_THAT(outcome(prints, one), HasSubstr("no line that it printed matches ^none$"));
    EXPECT_THAT(outcome("int main() { return *(volatile int*)0; }\n", {}), HasSubstr("null pointer"));
    EXPECT_THAT(outcome("int main() { for (;;); }\n", {}), HasSubstr("--limit allows more"));
    EXPECT_THAT(outcome("int main() { retur 0; }\n", {}), HasSubstr("retur"));
    EXPECT_THAT(outcome("__global__ void k(int* a) { a[0] = threadIdx.x; }\nint main() { int* a; cudaMalloc(&a, 4); "
                        "k<<<1, 64>>>(a); cudaDeviceSynchronize(); cudaFree(a); }\n",
                        {}),
                HasSubstr("race"));
}

} // namespace
} // namespace warptree::tests
