// The header of a kernel file, key by key; errors name their line.
#include "app/catalogue/kernel_header.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree::tests {
namespace {

using catalogue::HeaderError;
using catalogue::KernelHeader;
using catalogue::read_header;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(KernelHeader, ReadsEveryKey) {
    const KernelHeader h = read_header("// My own words.\n"
                                       "// title: A tree\n"
                                       "// family: shared memory\n"
                                       "// launch: reduce<B><<<ceil(n / B), B, B * sizeof(T)>>>(in, out, n)\n"
                                       "// blocks: powers of two, 64 to 512\n"
                                       "// block: 128\n"
                                       "// n: 4096\n"
                                       "// expect: sum\n"
                                       "// result: thread 0, in s[0]\n"
                                       "// arg: in = random:1000\n"
                                       "// arg: alpha = 0.5\n"
                                       "// parameter: batch = 4, powers of two, 1 to 16: elements a thread\n"
                                       "// parameter: exclusive = off: leave its own out\n"
                                       "// goes wrong: race\n"
                                       "// lesson: A text goes on\n"
                                       "//   in the next line.\n"
                                       "#include <cuda.h>\n");
    EXPECT_EQ(h.title, "A tree");
    EXPECT_EQ(h.family, "shared memory");
    ASSERT_TRUE(h.launch);
    EXPECT_EQ(h.launch->kernel, "reduce<B>");
    EXPECT_EQ(h.launch->grid, "ceil(n / B)");
    EXPECT_EQ(h.launch->block, "B");
    EXPECT_EQ(h.launch->shared, "B * sizeof(T)");
    EXPECT_THAT(h.launch->arguments, ElementsAre("in", "out", "n"));
    ASSERT_TRUE(h.blocks);
    EXPECT_TRUE(h.blocks->power_of_two);
    EXPECT_EQ(h.blocks->least, 64U);
    EXPECT_EQ(h.blocks->most, 512U);
    EXPECT_EQ(h.block, 128U);
    EXPECT_EQ(h.n, "4096");
    EXPECT_EQ(h.expect, "sum");
    EXPECT_EQ(h.result, "thread 0, in s[0]");
    ASSERT_EQ(h.arguments.size(), 2U);
    EXPECT_EQ(h.arguments[1].name, "alpha");
    EXPECT_EQ(h.arguments[1].value, "0.5");
    ASSERT_EQ(h.parameters.size(), 2U);
    EXPECT_EQ(h.parameters[0].fallback, 4U);
    EXPECT_EQ(h.parameters[0].most, 16U);
    EXPECT_TRUE(h.parameters[0].power_of_two);
    EXPECT_TRUE(h.parameters[1].flag);
    EXPECT_TRUE(h.racy);
    EXPECT_EQ(h.lesson, "A text goes on in the next line.");
}

TEST(KernelHeader, HasTheShapeOfABlockAndTheGrid) {
    const auto shaped = catalogue::read_header("// block: 16x8\n// grid: 4, 2\n").launch;
    ASSERT_TRUE(shaped.has_value());
    EXPECT_EQ(shaped->block, "16x8");
    EXPECT_EQ(shaped->grid, "4, 2");
    EXPECT_EQ(catalogue::read_header("// block: 64\n// grid: 4\n").block, 64U);
    EXPECT_FALSE(catalogue::read_header("// grid: one block for each row\n").launch.has_value()) << "prose";
    EXPECT_THROW(catalogue::read_header("// block: 16x\n"), catalogue::HeaderError);
}

TEST(KernelHeader, IsTheLeadingCommentOnly) {
    EXPECT_EQ(read_header("#include <cuda.h>\n// expect: sum\n"), KernelHeader{});
    EXPECT_EQ(read_header(""), KernelHeader{});
    EXPECT_EQ(read_header("/* expect: max */ __global__ void k() {}").expect, "max");
    EXPECT_EQ(read_header("/*\n * title: In a block\n * expect: dot\n */\n").expect, "dot");
    EXPECT_EQ(read_header("\n\n// expect: min\r\n").expect, "min");
    EXPECT_EQ(read_header("// expect: sum\n// Forgets the odd element.\n").expect, "sum");
    EXPECT_EQ(read_header("// expect: 1, 2,\n//   3\n").expect, "1, 2, 3");
    EXPECT_EQ(read_header("// the title: is not at the beginning").title, "");
}

TEST(KernelHeader, NamesTheLineOfWhatItCannotTake) {
    const auto complaint = [](const std::string& line) {
        try {
            read_header("// title: x\n// " + line + "\n");
        } catch (const HeaderError& e) {
            EXPECT_EQ(e.line, 2U);
            return std::string(e.what());
        }
        return std::string("taken");
    };
    EXPECT_THAT(complaint("launch: reduce<<<1, 2"), HasSubstr("line 2: launch: "));
    EXPECT_THAT(complaint("launch: reduce<<<1, 2, 3, 4, 5>>>(a)"), HasSubstr("is not a launch"));
    EXPECT_THAT(complaint("blocks: sometimes"), HasSubstr("line 2: blocks: "));
    EXPECT_THAT(complaint("blocks: 0 to 5000"), HasSubstr("line 2: blocks: "));
    EXPECT_THAT(complaint("parameter: batch"), HasSubstr("line 2: parameter: "));
    EXPECT_THAT(complaint("parameter: batch = 4: no range"), HasSubstr("has no range"));
    EXPECT_THAT(complaint("arg: in"), HasSubstr("write name = value"));
    EXPECT_THAT(complaint("goes wrong: somehow"), HasSubstr("a race, a race between lanes or a deadlock"));
    EXPECT_THAT(complaint("lesson: " + std::string(9000, 'x')), HasSubstr("longer than"));
}

} // namespace
} // namespace warptree::tests
