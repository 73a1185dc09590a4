// Many submissions, each in a process of its own: what one does changes no other one's result.
#include "app/base/utf8.hpp"
#include "app/run/check/document.hpp"
#include "app/run/check/pool.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

namespace warptree::tests {
namespace {

namespace fs = std::filesystem;
using runs::check_all;
using runs::CheckListener;
using runs::CheckRequest;
using runs::CheckResult;
using runs::CheckRun;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kSum =
    "__global__ void k(const int* in, int* out, int n) {\n  __shared__ int s[1024];\n  int t = threadIdx.x, i = "
    "blockIdx.x * blockDim.x + t;\n  s[t] = i < n ? in[i] : 0; __syncthreads();\n"
    "  for (int d = blockDim.x / 2; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }\n"
    "  if (t == 0) out[blockIdx.x] = s[0];\n}\n";
// Each run of it ends at the interpreter's limit on instructions, a second later.
constexpr const char* kSlow =
    "__global__ void k(const int* in, int* out) { for (unsigned i = 1; i; i += 2) out[i % 64] = i; }\n";

// Takes longer than kSum, but not long.
constexpr const char* kSlower =
    "__global__ void k(const int* in, int* out) {\n"
    "  if (threadIdx.x == 0) for (int i = 0; i < 100000; ++i) out[i % 64] = in[i % 32];\n}\n";

class Pool : public testing::Test {
  protected:
    std::string file(const std::string& name, const std::string& text) {
        folder_.write(name, text);
        return (folder_.path() / name).string();
    }
    std::vector<CheckResult> checked(const std::vector<std::string>& files, unsigned jobs = 2,
                                     const CheckListener& listener = {}) {
        return check_all(request, files, jobs, control, listener);
    }
    Pool() {
        request.options.kernel.expect = "sum";
        request.options.input = InputKind::random;
        request.options.kernel.input_given = true;
        request.n = {33, 100};
    }

    CheckRequest request;
    RunControl control;

  private:
    TemporaryFolder folder_;
};

// Children of this process that run this program: submissions, not the compiler.
std::vector<pid_t> submissions() {
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const auto id = static_cast<pid_t>(std::strtol(entry.path().filename().c_str(), nullptr, 10));
        std::ifstream status(entry.path() / "status");
        std::string name, parent;
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with("Name:")) name = line;
            if (line.starts_with("PPid:")) parent = line.substr(5);
        }
        if (id > 0 && std::strtol(parent.c_str(), nullptr, 10) == getpid() &&
            name.find("warptree-comp") == std::string::npos) {
            found.push_back(id);
        }
    }
    return found;
}

TEST_F(Pool, ChecksEachFile) {
    std::vector<std::string> files;
    for (int i = 0; i < 8; ++i) {
        files.push_back(file("s" + std::to_string(i) + ".cu", i == 3 ? "int main() {}\n" : kSum));
    }
    files.push_back("/nowhere/none.cu");
    const std::vector<CheckResult> results = checked(files);
    ASSERT_THAT(results, SizeIs(9));
    for (std::size_t i = 0; i < 9; ++i) {
        EXPECT_EQ(results[i].file, files[i]);
        EXPECT_EQ(results[i].pass, i != 3 && i != 8) << results[i].reason;
        EXPECT_THAT(results[i].runs, SizeIs(2));
    }
    EXPECT_THAT(results[3].runs.front().reason, HasSubstr("no __global__ function"));
    EXPECT_THAT(results[8].runs.front().reason, HasSubstr("there is no such file"));
    EXPECT_THAT(submissions(), IsEmpty()) << "none is left";
}

// What one process says is what the other one has: nothing is lost on the way.
TEST_F(Pool, TellsWhatTheSameCheckInThisProcessTells) {
    std::string racy = kSum;
    racy.replace(racy.find("__syncthreads(); }"), 18, "                 }");
    std::string wrong = kSum;
    wrong.replace(wrong.find("i < n ? in[i] : 0"), 17, "in[i % n]        ");
    const std::vector<std::string> files = {file("racy.cu", racy), file("wrong.cu", wrong), file("right.cu", kSum),
                                            file("broken.cu", "__global__ void k() { nowhere; }\n#warning \"x\"\n")};
    request.no_findings = true;
    const std::vector<CheckResult> results = checked(files);
    for (std::size_t i = 0; i < files.size(); ++i) {
        CheckRequest one = request;
        one.options.kernel.file = files[i];
        one.options.strategy = fs::path(files[i]).filename().string();
        const CheckResult here = runs::check(one, control, {});
        EXPECT_EQ(runs::check_json({results[i]}), runs::check_json({here}));
        EXPECT_EQ(results[i].counter_example, here.counter_example);
        EXPECT_EQ(results[i].counter_example_report, here.counter_example_report);
        ASSERT_EQ(results[i].diagnostics.size(), here.diagnostics.size());
        for (std::size_t d = 0; d < here.diagnostics.size(); ++d) {
            EXPECT_EQ(results[i].diagnostics[d].severity, here.diagnostics[d].severity);
        }
    }
    EXPECT_THAT(results[0].runs.front().findings.front().title, "race");
    EXPECT_FALSE(results[3].diagnostics.empty());
}

TEST_F(Pool, TellsInTheOrderOfTheFilesHoweverManyAtATime) {
    std::vector<std::string> files;
    for (int i = 0; i < 6; ++i) {
        files.push_back(file("s" + std::to_string(i) + ".cu", i == 0 ? kSlower : kSum)); // the first ends last
    }
    std::string one_by_one;
    for (const unsigned jobs : {1U, 3U, 100U}) {
        std::vector<std::string> told, done;
        CheckListener listener;
        listener.run = [&](const std::string& name, const CheckRun&) { told.push_back(name); };
        listener.done = [&](const CheckResult& r) { done.push_back(r.file); };
        const std::string json = runs::check_json(checked(files, jobs, listener));
        EXPECT_EQ(done, files);
        ASSERT_THAT(told, SizeIs(12));
        for (std::size_t i = 0; i < 12; ++i) {
            EXPECT_EQ(told[i], files[i / 2]);
        }
        if (jobs == 1) one_by_one = json;
        EXPECT_EQ(json, one_by_one);
    }
}

// Killed from outside, as by a fault of its own: its line says so, its runs so far stay, and the next one is as ever.
TEST_F(Pool, KeepsTheResultsOfAProcessThatCrashes) {
    if (kEmulated) GTEST_SKIP() << "qemu-user answers for it";
    request.n = std::vector<std::uint64_t>(100, 64);
    const std::vector<std::string> files = {file("crashes.cu", kSlower), file("right.cu", kSum)};
    CheckListener listener;
    bool killed = false;
    listener.run = [&](const std::string& name, const CheckRun&) {
        if (name != files[0] || killed) return;
        killed = true;
        for (const pid_t process : submissions()) kill(process, SIGABRT);
    };
    const std::vector<CheckResult> results = checked(files, 1, listener);
    EXPECT_FALSE(results[0].pass);
    EXPECT_EQ(results[0].signal, SIGABRT);
    EXPECT_EQ(results[0].reason, "its process was ended by signal 6: Aborted");
    EXPECT_FALSE(results[0].runs.empty());
    EXPECT_LT(results[0].runs.size(), 100U);
    EXPECT_TRUE(results[1].pass);
    EXPECT_THAT(results[1].runs, SizeIs(100));
    const auto json = nlohmann::json::parse(runs::check_json(results));
    EXPECT_EQ(json["files"][0]["signal"], SIGABRT);
    EXPECT_THAT(runs::check_junit(results), HasSubstr("<testcase name=\"process\"><error message=\"its process was"));
}

TEST_F(Pool, LosesNothingWhenTheCompilerCrashes) {
    if (kEmulated) GTEST_SKIP() << "qemu-user answers for it";
    std::vector<std::string> files;
    for (int i = 0; i < 6; ++i) {
        files.push_back(
            file("s" + std::to_string(i) + ".cu", i % 2 == 0 ? "#pragma clang __debug llvm_fatal_error\n" : kSum));
    }
    const std::vector<CheckResult> results = checked(files, 1);
    for (std::size_t i = 0; i < files.size(); ++i) {
        EXPECT_EQ(results[i].pass, i % 2 != 0) << results[i].reason;
        EXPECT_TRUE(i % 2 != 0 || !results[i].reason.empty());
    }
}

TEST_F(Pool, BoundsWhatOneTakes) {
    if (kSanitized) GTEST_SKIP() << "which has no limit on address space";
    const std::vector<std::string> files = {
        file("hungry.cu", kSum), file("loud.cu", "__global__ void k(const int* in, int* out) {\n"
                                                 "  for (int i = 0; i < 20000 && threadIdx.x == 0; ++i) printf(\"%d "
                                                 "and a long line of no use to anybody\\n\", i);\n"
                                                 "  out[0] = in[0]; }\n")};
    request.n = {1ULL << 31};
    EXPECT_FALSE(checked({files[0]}).front().pass) << "8 GB of input";
    request.n = {64};
    const std::vector<CheckResult> results = checked(files);
    EXPECT_TRUE(results[0].pass) << results[0].reason;
    EXPECT_THAT(results[1].runs, SizeIs(1));
}

TEST_F(Pool, StopsAndSaysWhatWasNotDone) {
    request.n = {64};
    std::vector<std::string> files = {file("right.cu", kSum)};
    for (int i = 0; i < 4; ++i) files.push_back(file("slow" + std::to_string(i) + ".cu", kSlow));
    request.n = std::vector<std::uint64_t>(20, 64);
    CheckListener listener;
    listener.done = [&](const CheckResult&) { control.cancel = true; };
    const std::vector<CheckResult> results = checked(files, 1, listener);
    ASSERT_THAT(results, SizeIs(5));
    EXPECT_TRUE(results[0].pass);
    for (std::size_t i = 1; i < 5; ++i) {
        EXPECT_FALSE(results[i].pass);
        EXPECT_EQ(results[i].reason, "stopped before it was done");
    }
    EXPECT_THAT(submissions(), IsEmpty());
}

TEST_F(Pool, WritesDocumentsWhateverIsInNamesAndTexts) {
    const std::vector<std::string> files = {
        file("\xff\xfe \x1b[31m&<\"\xc3\xa9.cu", kSum),
        file("text.cu", "#error \"\xff \x01 \xed\xa0\x80 <\"\n"),
        file("expect.cu", "// expect: \xff\xff\n" + std::string(kSum)),
    };
    const std::vector<CheckResult> results = checked(files);
    const auto json = nlohmann::json::parse(runs::check_json(results)); // throws at invalid UTF-8
    EXPECT_THAT(json["files"][0]["file"].get<std::string>(), HasSubstr("\xef\xbf\xbd\xef\xbf\xbd \x1b[31m"));
    for (const CheckResult& r : results) {
        const std::string line = runs::check_json_line(r);
        EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
        EXPECT_TRUE(nlohmann::json::accept(line));
    }
    const std::string xml = runs::check_junit(results);
    EXPECT_EQ(valid_utf8(xml), xml);
    EXPECT_EQ(xml.find('\x1b'), std::string::npos);
    EXPECT_EQ(xml.find('\x01'), std::string::npos);
    EXPECT_THAT(xml, HasSubstr("[31m&amp;&lt;&quot;\xc3\xa9.cu"));
}

} // namespace
} // namespace warptree::tests
