// Checking submissions: the first counter-example, what a course's CI reads, and that no file stops the others.
#include "app/base/error.hpp"
#include "app/run/check/check.hpp"
#include "app/run/check/document.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <ctime>

namespace warptree::tests {
namespace {

using namespace std::chrono_literals;
using runs::check;
using runs::CheckRequest;
using runs::CheckResult;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* kRight =
    "__global__ void k(const int* in, int* out, int n) {\n  __shared__ int s[1024];\n  int t = threadIdx.x, i = "
    "blockIdx.x * blockDim.x + t;\n  s[t] = i < n ? in[i] : 0; __syncthreads();\n"
    "  for (int d = blockDim.x / 2; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }\n"
    "  if (t == 0) out[blockIdx.x] = s[0];\n}\n";

CheckResult checked(const std::string& text, const std::function<void(CheckRequest&)>& change = {}) {
    CheckRequest request;
    request.options.kernel.text = text;
    request.options.kernel.expect = "sum";
    request.options.input = InputKind::random;
    request.options.kernel.input_given = true;
    if (change) {
        change(request);
    }
    RunControl control;
    return check(request, control, {});
}

TEST(Check, RunsEveryCombination) {
    const CheckResult r = checked(kRight, [](CheckRequest& c) {
        c.n = {1, 33, 1000};
        c.blocks = {"32", "256"};
        c.orders = {WarpOrder::in_order, WarpOrder::reverse, WarpOrder::random};
        c.no_findings = true;
    });
    EXPECT_TRUE(r.pass) << r.reason << r.counter_example_report;
    EXPECT_THAT(r.runs, SizeIs(18));
    EXPECT_EQ(r.kernel, "k");
    EXPECT_FALSE(r.counter_example);
}

TEST(Check, SaysThatNothingIsStored) {
    const CheckResult r =
        checked("__global__ void k(const int* in, int* out) {}\n", [](CheckRequest& c) { c.n = {32}; });
    EXPECT_FALSE(r.pass);
    ASSERT_THAT(r.runs, SizeIs(1));
    EXPECT_THAT(r.runs.front().reason, HasSubstr("it stores no numbers"));
}

// The bounds check is missing: right only if n is a multiple of the block.
TEST(Check, TellsTheSmallestNThenTheSmallestBlock) {
    std::string text = kRight;
    text.replace(text.find("i < n ? in[i] : 0"), 17, "in[i % n]        ");
    const CheckResult r = checked(text, [](CheckRequest& c) {
        c.n = {1000, 64, 256, 100};
        c.blocks = {"256", "64", "128"};
    });
    EXPECT_FALSE(r.pass);
    ASSERT_TRUE(r.counter_example);
    EXPECT_EQ(r.runs[*r.counter_example].n, 64U);
    EXPECT_EQ(r.runs[*r.counter_example].block, "128");
    EXPECT_THAT(r.runs[*r.counter_example].reason, HasSubstr("the result is"));
    EXPECT_THAT(r.counter_example_report, HasSubstr("block 128"));
}

TEST(Check, FailsForWhatWasAskedOnly) {
    std::string racy = kRight;
    racy.replace(racy.find("__syncthreads(); }"), 18, "                 }");
    const auto run = [&](bool allow_races) {
        return checked(racy, [&](CheckRequest& c) {
            c.n = {32};
            c.blocks = {"32"};
            c.allow_races = allow_races;
        });
    };
    EXPECT_FALSE(run(false).pass) << "a fault, though the result is right by luck";
    EXPECT_THAT(run(false).runs.front().reason, StartsWith("race: "));
    EXPECT_TRUE(run(true).pass);

    EXPECT_THAT(checked(kRight, [](CheckRequest& c) { c.most_barriers = 3; }).runs.front().reason,
                HasSubstr("barriers; 3 are allowed"));
    std::string conflicts = kRight;
    for (const char* const from : {"s[t] =", "s[t] +="}) {
        conflicts.replace(conflicts.find(from), 4, "s[t * 2 % 1024]");
    }
    EXPECT_FALSE(checked(conflicts, [](CheckRequest& c) { c.most_excess_wavefronts = 0; }).pass);
    EXPECT_FALSE(checked(kRight, [](CheckRequest& c) { c.types = {"f64"}; }).pass);
    EXPECT_TRUE(checked(kRight, [](CheckRequest& c) { c.types = {"i32"}; }).pass);
}

TEST(Check, EndsARunThatTakesTooLong) {
    const std::clock_t begin = std::clock(); // of the processor, so a busy machine changes nothing
    const CheckResult r =
        checked("__global__ void k(const int* in, int* out) { for (unsigned i = 1; i; i += 2) out[i % 64] = i; }",
                [](CheckRequest& c) {
                    c.n = {64};
                    c.limit = 200ms;
                });
    EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 10);
    EXPECT_FALSE(r.pass);
    EXPECT_THAT(r.runs.front().reason, testing::AnyOf(HasSubstr("still running"), HasSubstr("endless")));
}

TEST(Check, StopsWhenItIsTold) {
    CheckRequest request;
    request.options.kernel.text = kRight;
    RunControl control;
    control.cancel = true;
    EXPECT_THROW(check(request, control, {}), Cancelled);
}

// Fifty in a row: one never ends, one crashes the compiler, one is not text, one has no kernel, one is missing.
TEST(Check, ReportsFiftySubmissions) {
    const TemporaryFolder folder;
    std::vector<CheckResult> results;
    for (int k = 0; k < 50; ++k) {
        const std::string name = "s" + std::to_string(k) + ".cu";
        folder.write(name, k == 7    ? "__global__ void k(const int* in, int* out) { while (true) out[0] += 1; }"
                           : k == 13 ? "#pragma clang __debug crash\n"
                           : k == 21 ? std::string(3000, '\xff')
                           : k == 22 ? "int main() {}"
                                     : kRight);
        CheckRequest request;
        request.options.kernel.file = (folder.path() / (k == 33 ? "none.cu" : name)).string();
        request.options.kernel.expect = "sum";
        request.n = {100};
        request.limit = tests::kEmulated ? 10s : 4s; // for the endless one; the others end earlier, even when slow
        RunControl control;
        results.push_back(check(request, control, {}));
    }
    for (int k = 0; k < 50; ++k) {
        const CheckResult& r = results[static_cast<std::size_t>(k)];
        const bool good = k != 7 && k != 13 && k != 21 && k != 22 && k != 33;
        EXPECT_EQ(r.pass, good) << k << ": " << r.reason;
        EXPECT_EQ(r.runs.size() == 1 && r.runs.front().pass, good) << k;
    }
    EXPECT_THAT(results[13].reason, HasSubstr("__debug"));
    EXPECT_THAT(results[22].runs.front().reason, HasSubstr("no __global__ function"));
    EXPECT_THAT(results[33].runs.front().reason, HasSubstr("there is no such file"));

    const auto json = nlohmann::json::parse(runs::check_json(results));
    ASSERT_THAT(json["files"], SizeIs(50));
    EXPECT_EQ(json["files"][0]["pass"], true);
    EXPECT_EQ(json["files"][7]["pass"], false);
    EXPECT_FALSE(json["files"][7]["failed"].empty());

    const std::string xml = runs::check_junit(results);
    EXPECT_THAT(xml, StartsWith("<?xml version=\"1.0\""));
    std::size_t suites = 0, failures = 0;
    for (std::size_t at = 0; (at = xml.find("<testsuite name", at)) != std::string::npos; ++at) {
        ++suites;
    }
    for (std::size_t at = 0; (at = xml.find("<failure ", at)) != std::string::npos; ++at) {
        ++failures;
    }
    EXPECT_EQ(suites, 50U);
    EXPECT_EQ(failures, 3U); // 7, 22 and 33; 13 and 21 are errors: they have no run
}

TEST(Check, WritesXmlThatHostileTextCannotBreak) {
    CheckResult r;
    r.file = "<a&\"b>.cu";
    r.reason = "]]> \x01 <x>";
    r.pass = false;
    const std::string xml = runs::check_junit({r});
    EXPECT_THAT(xml, HasSubstr("&lt;a&amp;&quot;b&gt;.cu"));
    EXPECT_THAT(xml, testing::Not(HasSubstr("\x01")));
    EXPECT_THAT(xml, testing::Not(HasSubstr("<x>")));
}

} // namespace
} // namespace warptree::tests
