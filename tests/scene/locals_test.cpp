// Values of variables at the pointer, compared with what the kernel computes; and the colours of its text.
#include "app/trace/explain/accesses.hpp"
#include "app/trace/explain/locals.hpp"

#include "app/run/kernel_run.hpp"
#include "app/trace/explain/values.hpp"
#include "app/views/source/highlight.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace warptree {
namespace {

Trace trace_of(const std::string& text) {
    RunOptions o;
    o.kernel.text = text;
    o.n = 64;
    o.kernel.n_given = true;
    o.block = 64;
    RunControl control;
    return runs::run_kernel_file(o, control);
}

TEST(Locals, LoopVariablesFollowTheSteps) {
    const Trace t = trace_of("__global__ void k(const int* in, int* out) {\n"
                             "    __shared__ int s[64];\n"
                             "    int tid = threadIdx.x;\n"
                             "    s[tid] = in[tid];\n"
                             "    __syncthreads();\n"
                             "    for (int d = 32; d > 0; d /= 2) {\n"
                             "        if (tid < d) s[tid] += s[tid + d];\n"
                             "        __syncthreads();\n"
                             "    }\n"
                             "    if (tid == 0) out[0] = s[0];\n"
                             "}\n");
    const Launch& l = t.launches.front();
    int expected = 32;
    for (std::uint32_t step = 0; step < l.steps.size(); ++step) {
        if (l.steps[step].kind != StepKind::stage) {
            continue;
        }
        const auto d = local_value(l, "d", 7, 0, 5, step);
        ASSERT_TRUE(d) << l.steps[step].label;
        EXPECT_EQ(d->text, std::to_string(expected)) << l.steps[step].label;
        const auto tid = local_value(l, "tid", 7, 0, 37, step);
        ASSERT_TRUE(tid);
        EXPECT_EQ(tid->text, "37");
        EXPECT_TRUE(tid->before);
        expected /= 2;
    }
    EXPECT_EQ(expected, 0);
    EXPECT_FALSE(local_value(l, "nothing", 7, 0, 5, 1));
    EXPECT_FALSE(local_value(l, "tid", 7, 99, 5, 1)) << "a block that is not traced";
}

// A step of a loop within another one is named by both variables, and each has its value there.
TEST(Locals, NestedLoopsNameTheirStepsByBoth) {
    const Trace t = trace_of("__global__ void bitonic(int* a) {\n"
                             "    int i = threadIdx.x;\n"
                             "    for (int k = 2; k <= 4; k *= 2)\n"
                             "        for (int j = k / 2; j > 0; j /= 2) {\n"
                             "            int other = i ^ j;\n"
                             "            if (other > i && (a[i] > a[other]) == ((i & k) == 0)) {\n"
                             "                int t = a[i];\n"
                             "                a[i] = a[other];\n"
                             "                a[other] = t;\n"
                             "            }\n"
                             "            __syncthreads();\n"
                             "        }\n"
                             "}\n");
    const Launch& l = t.launches.front();
    std::vector<std::string> labels;
    for (const Step& s : l.steps) {
        labels.push_back(s.label);
    }
    EXPECT_THAT(labels, testing::ElementsAre("k = 2, j = 1", "k = 4, j = 2", "k = 4, j = 1"));
    ASSERT_EQ(l.steps.size(), 3U);
    EXPECT_EQ(local_value(l, "k", 6, 0, 5, 2)->text, "4");
    EXPECT_EQ(local_value(l, "j", 6, 0, 5, 1)->text, "2");
}

// Of an array it is the elements that a thread comes by in the line, at the step or the last time before.
TEST(Accesses, AreThoseOfAThreadInALine) {
    const Trace t = trace_of("__global__ void k(const int* in, int* out) {\n"
                             "    __shared__ int s[64];\n"
                             "    int tid = threadIdx.x;\n"
                             "    s[tid] = in[tid];\n"
                             "    __syncthreads();\n"
                             "    for (int d = 32; d > 0; d /= 2) {\n"
                             "        if (tid < d) s[tid] += s[tid + d];\n"
                             "        __syncthreads();\n"
                             "    }\n"
                             "    if (tid == 0) out[0] = s[0];\n"
                             "}\n");
    const Launch& l = t.launches.front();
    const auto at = [&](std::string_view name, std::uint32_t line, std::uint32_t thread, std::uint32_t step) {
        std::vector<std::string> all;
        for (const Accessed& a : accesses_of(l, name, line, 0, thread, step)) {
            all.push_back(a.array.name + "[" + std::to_string(a.index) + "] in " + l.steps[a.step].label);
        }
        return all;
    };
    const auto last = static_cast<std::uint32_t>(l.steps.size() - 1);
    EXPECT_THAT(at("in", 4, 37, 0), testing::ElementsAre("in[37] in load"));
    EXPECT_THAT(at("s", 4, 37, 0), testing::ElementsAre("s[37] in load"));
    EXPECT_THAT(at("s", 7, 5, 1), testing::UnorderedElementsAre("s[5] in d = 32", "s[37] in d = 32"));
    EXPECT_THAT(at("s", 7, 5, last), testing::UnorderedElementsAre("s[5] in d = 8", "s[13] in d = 8"));
    EXPECT_THAT(at("s", 7, 37, last), testing::IsEmpty());
    EXPECT_THAT(at("row", 7, 5, 1), testing::SizeIs(2)) << "a pointer into the only array there";
    EXPECT_THAT(at("row", 4, 5, 1), testing::IsEmpty());
}

TEST(Locals, TypesAreWrittenAsTheSourceWould) {
    EXPECT_EQ(value_text(ValueType::i32, 0xFFFFFFFFU), "-1");
    EXPECT_EQ(value_text(ValueType::u32, 0xFFFFFFFFU), "4294967295");
    EXPECT_EQ(value_text(ValueType::boolean, 1), "1");
    EXPECT_EQ(value_text(ValueType::f32, 0x3E800000U), "0.25");
    EXPECT_EQ(value_text(ValueType::f16, 0x3C00U), "1");
    EXPECT_EQ(value_text(ValueType::f16, 0xC500U), "-5");
    EXPECT_EQ(value_text(ValueType::f16, 0x0001U), "5.9604645e-08"); // the smallest subnormal
    EXPECT_EQ(value_text(ValueType::i64, ~0ULL), "-1");
    EXPECT_EQ(value_text(ValueType::i8, 0x80), "-128");
    EXPECT_EQ(value_text(ValueType::pointer, 0x10), "0x10");
}

TEST(Highlight, TellsTheTokensApart) {
    using scene::Token;
    const auto at = [](std::string_view line, std::string_view word) {
        return scene::tokens_of(line)[line.find(word)];
    };
    const std::string_view line = "for (int i = 0; i < warpSize; ++i) __syncthreads(); // \"x\"";
    EXPECT_EQ(at(line, "for"), Token::keyword);
    EXPECT_EQ(at(line, "int"), Token::keyword);
    EXPECT_EQ(at(line, "0"), Token::literal);
    EXPECT_EQ(at(line, "warpSize"), Token::cuda);
    EXPECT_EQ(at(line, "__sync"), Token::cuda);
    EXPECT_EQ(at(line, "x"), Token::comment);
    EXPECT_EQ(at("#include \"a.cuh\"", "#"), Token::keyword);
    EXPECT_EQ(at("#include \"a.cuh\"", "a.cuh"), Token::literal);
    EXPECT_EQ(at("char c = '\"'; int x;", "int"), Token::keyword);
}

TEST(Highlight, CommentsGoOnOverLines) {
    using scene::Token;
    bool open = false;
    const auto first = scene::tokens_of("int a; /* b", false, &open);
    EXPECT_TRUE(open);
    EXPECT_EQ(first.back(), Token::comment);
    const auto second = scene::tokens_of("c */ int d; /**/ int e;", true, &open);
    EXPECT_FALSE(open);
    EXPECT_EQ(second.front(), Token::comment);
    EXPECT_EQ(second[5], Token::keyword);
    EXPECT_EQ(second[17], Token::keyword);
    EXPECT_TRUE(scene::tokens_of("", true, &open).empty());
    EXPECT_TRUE(open) << "an empty line ends no comment";
}

TEST(Values, AreNanWithoutItsSign) {
    EXPECT_EQ(value_text(ValueType::f32, 0x7FC00000U), "nan");
    EXPECT_EQ(value_text(ValueType::f32, 0xFFC00000U), "nan");
    EXPECT_EQ(value_text(ValueType::f64, 0xFFF8000000000000U, 6), "nan");
    EXPECT_EQ(value_text(ValueType::f32, 0xFF800000U), "-inf");
}

} // namespace
} // namespace warptree
