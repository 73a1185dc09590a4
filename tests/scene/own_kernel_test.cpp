// A file in the user's own folder can be named wherever a strategy can: in a comparison, a lesson, a state string.
#include "app/catalogue/strategy.hpp"
#include "app/document/opened_files.hpp"
#include "app/features/compare/column_options.hpp"
#include "app/features/compare/comparison.hpp"
#include "app/features/explore/explore_state.hpp"
#include "app/features/lessons/lesson_check.hpp"
#include "app/features/lessons/lesson_file.hpp"
#include "app/run/run.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace warptree::session {
namespace {

constexpr const char* kSum = "// title: A sum of mine\n// launch: k<<<1, B>>>(in, out, n)\n// expect: sum\n"
                             "__global__ void k(const int* in, int* out, int n) {\n"
                             "    int sum = 0;\n"
                             "    for (int i = 0; i < n; ++i) sum += in[i];\n"
                             "    if (threadIdx.x == 0) out[0] = sum;\n"
                             "}\n";

class OwnKernel : public ::testing::Test {
  protected:
    OwnKernel() {
        setenv("WARPTREE_KERNELS", folder_.string().c_str(), 1);
        folder_.write("my_sum.cu", kSum);
        folder_.write("sequential.cu", "// title: No more\n");
    }
    ~OwnKernel() override { unsetenv("WARPTREE_KERNELS"); }
    std::string path() const { return (folder_.path() / "my_sum.cu").string(); }
    tests::TemporaryFolder folder_;
};

std::vector<std::string> choices(const RunOptions& o) { return column_options(o).front().choices; }

TEST_F(OwnKernel, HidesNoneThatShips) {
    EXPECT_EQ(own_kernel("my-sum"), path());
    EXPECT_EQ(own_kernel("sequential"), "");
    EXPECT_EQ(own_kernel("my-other-sum"), "");
    EXPECT_EQ(own_kernel(""), "");
}

// Without a word of its launch, it runs in blocks as wide as those it is compared with.
TEST_F(OwnKernel, HasTheBlockOfTheStrategyBeside) {
    folder_.write("tree.cu", "__global__ void tree(const int* in, int* out, int n) {\n"
                             "    __shared__ int s[1024];\n"
                             "    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
                             "    s[t] = i < n ? in[i] : 0;\n"
                             "    for (int k = blockDim.x / 2; k > 0; k /= 2) {\n"
                             "        __syncthreads();\n"
                             "        if (t < k) s[t] += s[t + k];\n"
                             "    }\n"
                             "    if (t == 0) out[blockIdx.x] = s[0];\n"
                             "}\n");
    const std::string tree = (folder_.path() / "tree.cu").string();
    Comparison c([] {});
    const auto wait = [&] {
        c.start();
        for (c.poll(); c.busy(); c.poll()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        c.poll();
    };
    c.set_columns({"sequential:block=64", tree});
    wait();
    ASSERT_TRUE(c[1].trace) << c[1].error;
    EXPECT_EQ(c[1].trace->options.block, 64U);
    EXPECT_EQ(c.trees(0, 1), Trees::same_and_threads);
    c.set(0, "block", "32");
    wait();
    EXPECT_EQ(c[1].trace->options.block, 32U) << "it follows";
    c.show_file(0, "recorded.wtrace", c[0].trace);
    wait();
    EXPECT_EQ(c[1].trace->options.block, 256U) << "beside what is only read";
    c.set(0, "block", "32");
    wait();
    EXPECT_EQ(c[1].trace->options.block, 32U);
    c.set(1, "block", "128");
    c.set(0, "block", "64");
    wait();
    EXPECT_EQ(c[1].trace->options.block, 128U) << "what is said is kept";
    c.set_columns({tree, tree});
    wait();
    EXPECT_EQ(c[0].trace->options.block, 256U);
}

TEST_F(OwnKernel, IsAColumnOfAComparison) {
    RunOptions o = apply(parse_column("my-sum:block=64"), {});
    EXPECT_EQ(o.kernel.file, path());
    EXPECT_EQ(parse_column("my-sum").what, path());
    o.n = 100;
    EXPECT_TRUE(runs::run_any(o).pass);
    EXPECT_EQ(column_options(o).front().value, "my-sum");
    for (const char* shipped : {"sequential", "my-sum"}) {
        RunOptions chosen;
        change_strategy(chosen, shipped);
        const std::vector<std::string> ids = choices(chosen);
        EXPECT_EQ(std::count(ids.begin(), ids.end(), "my-sum"), 1);
        EXPECT_EQ(std::count(ids.begin(), ids.end(), "sequential"), 1);
    }
    set_column_option(o, "strategy", "sequential");
    EXPECT_EQ(o.kernel.file, "");
    set_column_option(o, "strategy", "my-sum");
    EXPECT_EQ(o.kernel.file, path());
    folder_.write("another.cu", kSum);
    EXPECT_THAT(choices(o), ::testing::Contains("another"));
}

TEST_F(OwnKernel, IsATraceOfALesson) {
    const Lesson lesson = parse_lesson("title: Mine\nabout: Mine beside theirs.\nn: 48\nblock: 32\n"
                                       "trace theirs: sequential\ntrace mine: my-sum\n\n"
                                       "stage: Both\nshow: mine at 0\nview: warps\n"
                                       "ask: What is the sum?\nnumber: mine.result\nhint: Count them.\n"
                                       "why: {mine.result}, as {theirs.result} is.\n",
                                       "mine", "mine.lesson");
    EXPECT_FALSE(refusal(lesson, 48, 32).has_value());
    for (const LessonTrace& trace : lesson.traces) {
        const Trace run = runs::run_any(options_at(trace, 48, 32));
        EXPECT_EQ(run.options.n, 48U) << trace.name;
        EXPECT_EQ(run.block(), 32U) << trace.name;
        EXPECT_EQ(to_string(run.result), "48") << trace.name;
    }
}

TEST_F(OwnKernel, IsOpenedByAStateString) {
    const ExploreState state = explore_state(parse_state("explore/my-sum?n=33&step=1"));
    EXPECT_EQ(state.file, path());
    EXPECT_EQ(state.options.n, 33U);
    EXPECT_EQ(state.step, 1U);
    EXPECT_THROW(explore_state(parse_state("explore/my-other-sum")), OptionError);
}

TEST_F(OwnKernel, ThatWasOpenedIsAmongTheColumnsOfACompare) {
    folder_.write("hand_in.cu", kSum);
    const std::filesystem::path path = folder_.path() / "hand_in.cu";
    RunOptions o;
    EXPECT_THAT(choices(o), ::testing::Not(::testing::Contains("hand_in.cu")));
    note_opened_file(path);
    note_opened_file(folder_.path() / "never_saved.cu");
    EXPECT_THAT(choices(o), ::testing::Contains("hand_in.cu"));
    EXPECT_THAT(choices(o), ::testing::Not(::testing::Contains("never_saved.cu"))) << "it is not on disk";
    set_column_option(o, "strategy", "hand_in.cu");
    EXPECT_EQ(o.kernel.file, path.string());
    const auto again = choices(o);
    EXPECT_EQ(std::count(again.begin(), again.end(), "hand_in.cu"), 1);
    rename_opened_file(path, folder_.path() / "other.cu");
    EXPECT_TRUE(opened_file("hand_in.cu").empty());
}

} // namespace
} // namespace warptree::session
