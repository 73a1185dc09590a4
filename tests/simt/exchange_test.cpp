// Shuffles, votes, match and reduce, compared with the CUDA C++ Programming Guide, lane by lane.
#include "tests/support/kernel_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

namespace warptree::tests {
namespace {

using testing::Each;
using testing::SizeIs;

// A kernel in which lane t stores `expression` of t and v = 100 + 3 t.
std::string lanes_text(const std::string& type, const std::string& expression) {
    return fmt::format(
        "__global__ void k({0}* out) {{\n  const unsigned t = threadIdx.x; const {0} v = ({0})(100 + 3 * "
        "t);\n  out[t] = {1};\n}}\n",
        type, expression);
}

// The source lane according to the guide; the lane itself if there is none.
unsigned source(const std::string& kind, unsigned lane, int argument, unsigned width) {
    const unsigned first = lane / width * width;
    int from = 0;
    if (kind == "up") {
        from = static_cast<int>(lane) - argument;
        return from < static_cast<int>(first) ? lane : static_cast<unsigned>(from);
    }
    if (kind == "down") {
        from = static_cast<int>(lane) + argument;
        return from >= static_cast<int>(first + width) ? lane : static_cast<unsigned>(from);
    }
    if (kind == "xor") { // lanes of later groups are out of range, those of earlier groups are not
        const unsigned to = lane ^ static_cast<unsigned>(argument);
        return to >= first + width ? lane : to;
    }
    return first + (static_cast<unsigned>(argument) & (width - 1));
}

TEST(Shuffles, TakeTheLaneThatTheGuideSays) {
    for (const std::string kind : {"up", "down", "xor", "idx"}) {
        for (const unsigned width : {2U, 4U, 8U, 16U, 32U}) {
            for (const int argument : {0, 1, 3, 8, 17, 31}) {
                const std::string name = kind == "idx" ? "__shfl_sync" : "__shfl_" + kind + "_sync";
                const Trace trace =
                    run_text(lanes_text("int", fmt::format("{}(~0u, v, {}, {})", name, argument, width)));
                const auto got = values<int>(trace, "out");
                ASSERT_THAT(got, SizeIs(32));
                ASSERT_THAT(trace.launches.front().shuffles, SizeIs(1));
                for (unsigned l = 0; l < 32; ++l) {
                    EXPECT_EQ(got[l], static_cast<int>(100 + 3 * source(kind, l, argument, width)))
                        << name << " " << argument << " of " << width << ", lane " << l;
                }
            }
        }
    }
}

template <class T> void shuffles_as(const char* type) {
    const Trace trace = run_text(lanes_text(type, "__shfl_down_sync(~0u, v, 5)"));
    const auto got = values<T>(trace, "out");
    for (unsigned l = 0; l < 32; ++l) {
        EXPECT_EQ(got[l], static_cast<T>(100 + 3 * (l + 5 < 32 ? l + 5 : l))) << type << ", lane " << l;
    }
    EXPECT_THAT(trace.launches.front().shuffles, SizeIs(1)) << type << ": a value is one shuffle, however wide";
}

TEST(Shuffles, TakeEveryType) {
    shuffles_as<int>("int");
    shuffles_as<unsigned>("unsigned");
    shuffles_as<float>("float");
    shuffles_as<long long>("long long");
    shuffles_as<unsigned long long>("unsigned long long");
    shuffles_as<double>("double");
    shuffles_as<long>("long");
}

TEST(Votes, CountTheLanesOfTheMask) {
    const auto vote = [](const std::string& expression) {
        return values<unsigned>(run_text(lanes_text("unsigned", expression)), "out");
    };
    EXPECT_THAT(vote("__ballot_sync(~0u, t % 3 == 0)"), Each(0x49249249U));
    EXPECT_THAT(vote("__any_sync(~0u, t == 31)"), Each(1U));
    EXPECT_THAT(vote("__any_sync(~0u, t == 32)"), Each(0U));
    EXPECT_THAT(vote("__all_sync(~0u, t < 32)"), Each(1U));
    EXPECT_THAT(vote("__all_sync(~0u, t < 31)"), Each(0U));
    EXPECT_THAT(vote("__activemask()"), Each(~0U));
    const auto half = vote("t < 16 ? __ballot_sync(0xFFFF, t > 3) : __ballot_sync(0xFFFF0000, t < 20)");
    for (unsigned l = 0; l < 32; ++l) {
        EXPECT_EQ(half[l], l < 16 ? 0xFFF0U : 0x000F0000U);
    }
}

TEST(Match, FindsTheLanesOfEqualValue) {
    const auto any = values<unsigned>(run_text(lanes_text("unsigned", "__match_any_sync(~0u, t % 5)")), "out");
    for (unsigned l = 0; l < 32; ++l) {
        unsigned expected = 0;
        for (unsigned m = l % 5; m < 32; m += 5) {
            expected |= 1U << m;
        }
        EXPECT_EQ(any[l], expected) << l;
    }
    const auto wide =
        values<unsigned>(run_text(lanes_text("unsigned", "__match_any_sync(~0u, (long long)(t / 16) << 40)")), "out");
    EXPECT_EQ(wide[3], 0xFFFFU);
    EXPECT_EQ(wide[30], 0xFFFF0000U);
    const char* const all =
        "__global__ void k(unsigned* out, int n) {\n  int p = 7; unsigned m = __match_all_sync(~0u, "
        "threadIdx.x / %d, &p);\n  out[threadIdx.x] = m + p;\n}";
    std::string text = all;
    text.replace(text.find("%d"), 2, "32");
    EXPECT_THAT(values<unsigned>(run_text(text), "out"), Each(0xFFFFFFFFU + 1U)); // all, and p is 1
    text = all;
    text.replace(text.find("%d"), 2, "31");
    EXPECT_THAT(values<unsigned>(run_text(text), "out"), Each(0U));
}

TEST(Reduce, CombinesTheLanesOfTheMask) {
    const auto reduce = [](const std::string& expression) {
        return values<unsigned>(run_text(lanes_text("unsigned", expression)), "out");
    };
    EXPECT_THAT(reduce("__reduce_add_sync(~0u, t)"), Each(496U));
    EXPECT_THAT(reduce("__reduce_min_sync(~0u, t + 4)"), Each(4U));
    EXPECT_THAT(reduce("__reduce_max_sync(~0u, t)"), Each(31U));
    EXPECT_THAT(reduce("__reduce_and_sync(~0u, t | 64)"), Each(64U));
    EXPECT_THAT(reduce("__reduce_or_sync(~0u, t)"), Each(31U));
    EXPECT_THAT(reduce("__reduce_xor_sync(~0u, t < 3)"), Each(1U));
    EXPECT_THAT(reduce("(unsigned)__reduce_min_sync(~0u, (int)t - 9)"), Each(static_cast<unsigned>(-9)));
}

// A shuffle reduction written by hand, and its tree.
TEST(Shuffles, MakeATreeOfTheWarp) {
    const Trace trace = run_text("// expect: sum\n__global__ void k(const double* in, double* out, int n) {\n"
                                 "  double v = in[threadIdx.x];\n"
                                 "  for (int offset = 16; offset > 0; offset /= 2)\n"
                                 "    v += __shfl_down_sync(~0u, v, offset);\n"
                                 "  if (threadIdx.x == 0) out[0] = v;\n}");
    EXPECT_TRUE(trace.pass);
    EXPECT_EQ(trace.tree.leaves, 32U);
    EXPECT_EQ(trace.tree.useful_combines, 31U);
    EXPECT_EQ(trace.tree.depth, 5U);
    EXPECT_THAT(trace.launches.front().shuffles, SizeIs(5));
    EXPECT_THAT(kinds(trace), SizeIs(0));
    std::vector<std::string> labels;
    for (const Step& s : trace.launches.front().steps) {
        labels.push_back(s.label);
    }
    EXPECT_THAT(labels, testing::IsSupersetOf({"offset = 16", "offset = 8", "offset = 4", "offset = 2", "offset = 1"}));
}

// Every lane adds in every step, used or not: 5 steps of 64 lanes, plus the total of the warps.
TEST(Shuffles, CombineMoreThanReachesTheOutput) {
    const Trace trace = run_text("// expect: sum\n__global__ void k(const int* in, int* out, int n) {\n"
                                 "  __shared__ int s[2];\n  int v = in[threadIdx.x];\n"
                                 "  for (int offset = 16; offset > 0; offset /= 2)\n"
                                 "    v += __shfl_down_sync(~0u, v, offset);\n"
                                 "  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;\n  __syncthreads();\n"
                                 "  if (threadIdx.x == 0) out[0] = s[0] + s[1];\n}",
                                 [](RunOptions& o) {
                                     o.n = 64;
                                     o.block = 64;
                                 });
    EXPECT_TRUE(trace.pass);
    EXPECT_EQ(trace.tree.combines, 321U);
    EXPECT_EQ(trace.tree.useful_combines, 63U);
}

TEST(WithoutMask, AllActiveLanesTakePart) {
    const auto run = [](const std::string& type, const std::string& expression, unsigned active) {
        return run_text(fmt::format("#include <cuda_fp16.h>\n__global__ void k({0}* out) {{\n  const unsigned t = "
                                    "threadIdx.x; const {0} v = ({0})(int)(100 + 3 * t);\n  if (t < {1}) out[t] = "
                                    "{2};\n}}\n",
                                    type, active, expression),
                        [](RunOptions& o) {
                            o.kernel.arguments = {{"out", "zeros:32"}};
                        });
    };
    struct Form {
        const char *old, *now, *type;
    };
    for (const Form& form : {Form{"__shfl(v, 3)", "__shfl_sync(m, v, 3)", "int"},
                             {"__shfl(v, t % 8, 8)", "__shfl_sync(m, v, t % 8, 8)", "double"},
                             {"__shfl_down(v, 4, 8)", "__shfl_down_sync(m, v, 4, 8)", "float"},
                             {"__shfl_up(v, 2)", "__shfl_up_sync(m, v, 2)", "long long"},
                             {"__shfl_xor(v, 5)", "__shfl_xor_sync(m, v, 5)", "__half"},
                             {"(int)__ballot(t % 3 == 0)", "(int)__ballot_sync(m, t % 3 == 0)", "int"},
                             {"__any(v == 106)", "__any_sync(m, v == 106)", "int"},
                             {"__all(t < 16)", "__all_sync(m, t < 16)", "int"}}) {
        for (const unsigned active : {32U, 16U}) {
            const Trace old = run(form.type, form.old, active);
            std::string now = form.now;
            now.replace(now.find("(m,"), 3, active == 32 ? "(0xFFFFFFFF," : "(0xFFFF,");
            const Trace masked = run(form.type, now, active);
            EXPECT_EQ(values<std::uint64_t>(old, "out"), values<std::uint64_t>(masked, "out")) << form.old;
            EXPECT_EQ(kinds(masked).count(FindingKind::legacy_shuffle), 0U);
            const Finding* const found = first_of(old, FindingKind::legacy_shuffle);
            ASSERT_TRUE(found != nullptr) << form.old;
            EXPECT_EQ(found->mask, active == 32 ? 0xFFFFFFFFU : 0xFFFFU);
            EXPECT_EQ(found->line.line(), 4U);
        }
    }
}

} // namespace
} // namespace warptree::tests
