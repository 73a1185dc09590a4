// Step names in a file's comments, and the steps that they merge.
#include "app/compile/program/notes.hpp"
#include "app/run/kernel_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warptree {
namespace {

using testing::ElementsAre;

Trace trace_of(const std::string& text, std::uint64_t n = 64, std::uint32_t block = 64) {
    RunOptions o;
    o.kernel.text = text;
    o.kernel.grid = "1";
    o.n = n;
    o.kernel.n_given = true;
    o.block = block;
    RunControl control;
    return runs::run_kernel_file(o, control);
}

std::vector<std::string> labels(const Trace& t) {
    std::vector<std::string> all;
    for (const Step& s : t.launches.front().steps) {
        all.push_back(s.label);
    }
    return all;
}

const compile::StepNote* note(const std::string& text, std::uint32_t line) {
    static std::vector<compile::StepNotes> kept; // owns the note
    kept.reserve(64);
    kept.emplace_back(std::vector<compile::SourceText>{{"k.cu", text, false}});
    return kept.back().on_line_of(std::vector<compile::Location>{{}, {0, line, 1, compile::kNone}}, 1);
}

TEST(StepNotes, AreOfTheirLineOrTheNextOneOfCode) {
    const std::string text = "// step: up: Sums grow.\n"
                             "\n"
                             "// a remark\n"
                             "for (;;) {}\n"
                             "x = 1; // step: B\n"
                             "//one step: all\n"
                             "y();\n"
                             "// a step: no\n"
                             "z();\n"
                             "// step:\n"
                             "w();\n";
    ASSERT_NE(note(text, 4), nullptr);
    EXPECT_EQ(note(text, 4)->name, "up");
    EXPECT_EQ(note(text, 4)->sentence, "Sums grow.");
    EXPECT_FALSE(note(text, 4)->whole);
    ASSERT_NE(note(text, 5), nullptr);
    EXPECT_EQ(note(text, 5)->name, "B");
    ASSERT_NE(note(text, 7), nullptr);
    EXPECT_TRUE(note(text, 7)->whole);
    for (const std::uint32_t line : {1U, 3U, 6U, 8U, 9U, 10U, 11U, 12U}) {
        EXPECT_EQ(note(text, line), nullptr) << line;
    }
}

TEST(StepNotes, EndlessOnesAreCut) {
    const compile::StepNote* const n =
        note("// step: " + std::string(5000, 'a') + ": " + std::string(5000, 'b') + "\nx();\n", 2);
    ASSERT_NE(n, nullptr);
    EXPECT_LE(n->name.size(), 24U);
    EXPECT_LE(n->sentence.size(), 240U);
}

constexpr const char* kTwoSweeps = "__device__ __forceinline__ void add(int* s, int t) {\n"
                                   "    for (int d = 32; d > 0; d /= 2) {\n"
                                   "        if (t < d) s[t] += s[t + d];\n"
                                   "        __syncthreads();\n"
                                   "    }\n"
                                   "}\n"
                                   "__global__ void k(const int* in, int* out) {\n"
                                   "    __shared__ int s[64];\n"
                                   "    int t = threadIdx.x;\n"
                                   "    s[t] = in[t];\n"
                                   "    __syncthreads();\n"
                                   "    add(s, t);%s\n"
                                   "    s[t] = in[t];%s\n"
                                   "    __syncthreads();\n"
                                   "    add(s, t);%s\n"
                                   "    if (t == 0) out[0] = s[0];\n"
                                   "}\n";

std::string with(const std::string& first, const std::string& between, const std::string& second) {
    std::string text = kTwoSweeps;
    for (const std::string& note : {first, between, second}) {
        text.replace(text.find("%s"), 2, note);
    }
    return text;
}

TEST(StepNotes, TellTheCallsOfAFunctionApart) {
    EXPECT_THAT(labels(trace_of(with("", "", ""))),
                ElementsAre("load", "d = 32", "d = 16", "d = 8", "d = 4", "d = 2", "d = 1", "load (2)", "d = 32 (2)",
                            "d = 16 (2)", "d = 8 (2)", "d = 4 (2)", "d = 2 (2)", "d = 1 (2)", "store"));
    const Trace t = trace_of(with(" // step: once: The first time.", " // step: again", " // step: twice"));
    EXPECT_THAT(labels(t), ElementsAre("load", "once: d = 32", "once: d = 16", "once: d = 8", "once: d = 4",
                                       "once: d = 2", "once: d = 1", "again", "twice: d = 32", "twice: d = 16",
                                       "twice: d = 8", "twice: d = 4", "twice: d = 2", "twice: d = 1", "store"));
    EXPECT_EQ(t.launches[0].steps[1].purpose, "The first time.");
    EXPECT_EQ(t.launches[0].steps[1].stride, 32U);
    EXPECT_EQ(t.launches[0].steps[8].purpose, "");
}

TEST(StepNotes, MayMakeAllTurnsOneStep) {
    const std::string text = "__global__ void k(const int* in, int* out) {\n"
                             "    __shared__ int s[64];\n"
                             "    int t = threadIdx.x;\n"
                             "    s[t] = in[t];\n"
                             "    __syncthreads();\n"
                             "    int sum = 0;\n"
                             "    // one step: add all\n"
                             "    for (int i = 0; i < 8; ++i) sum += s[t / 8 * 8 + i];\n"
                             "    out[t] = sum;\n"
                             "}\n";
    const Trace t = trace_of(text);
    EXPECT_THAT(labels(t), ElementsAre("load", "add all", "store"));
    EXPECT_EQ(t.launches[0].steps[1].counters.combines, 64U * 8U);
}

// A variable that differs between threads cannot distinguish steps.
TEST(StepNotes, TurnsOfAThreadsOwnVariableAreCounted) {
    const std::string text = "__global__ void k(const int* in, int* out) {\n"
                             "    __shared__ int s[256];\n"
                             "    for (int i = threadIdx.x; i < 256; i += 64) s[i] = in[i];\n"
                             "    __syncthreads();\n"
                             "    for (int i = threadIdx.x; i < 128; i += 64) s[i] += s[i + 128];\n"
                             "    __syncthreads();\n"
                             "    out[threadIdx.x] = s[threadIdx.x];\n"
                             "}\n";
    EXPECT_THAT(labels(trace_of(text, 256)),
                ElementsAre("load", "line 5, iteration 1", "line 5, iteration 2", "store"));
}

// The identity stored by a thread past the end is a node of the step, thread and word of that store.
TEST(IdentityNodes, AreWhereTheyWereStored) {
    const std::string text = "__global__ void k(const int* in, int* out, int n) {\n"
                             "    __shared__ int s[16];\n"
                             "    int t = threadIdx.x;\n"
                             "    s[t] = t < n ? in[t] : 0;\n"
                             "    __syncthreads();\n"
                             "    for (int d = 8; d > 0; d /= 2) {\n"
                             "        if (t < d) s[t] += s[t + d];\n"
                             "        __syncthreads();\n"
                             "    }\n"
                             "    if (t == 0) out[0] = s[0];\n"
                             "}\n";
    const Trace t = trace_of(text, 11, 16);
    std::vector<std::uint32_t> words;
    for (const Node& n : t.launches[0].nodes) {
        if (n.kind == NodeKind::identity) {
            EXPECT_EQ(n.step, 0U);
            EXPECT_EQ(n.thread, n.word) << "thread w stores word w";
            EXPECT_EQ(n.line.line(), 4U);
            words.push_back(n.word);
        }
    }
    EXPECT_THAT(words, testing::UnorderedElementsAre(11, 12, 13, 14, 15));
}

} // namespace
} // namespace warptree
