// What a value was made of: every operand has its value, and its name where it has one.
#include "app/views/made_of.hpp"

#include "tests/support/kernel_text.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace warptree::scene {
namespace {

// Of the combines and products of a launch.
std::set<std::string> made(const std::string& text) {
    const Trace trace = tests::run_text(text);
    std::set<std::string> all;
    for (const Node& n : trace.launches[0].nodes) {
        if (has_operands(n.kind)) {
            all.insert(made_of(trace, 0, n));
        }
    }
    return all;
}

TEST(MadeOf, NamesBothOperands) {
    const std::set<std::string> sums = made("__global__ void k(const int* in, int* out) {\n  int t = threadIdx.x;\n"
                                            "  if (t == 3) out[0] = in[3] + in[5];\n}\n");
    EXPECT_EQ(sums, std::set<std::string>{"sum of 3 and 5"});
}

TEST(MadeOf, ReckonsWhatNoElementWentInto) {
    const std::set<std::string> sums =
        made("__global__ void k(const int* in, int* out) {\n  __shared__ int c[32];\n  int t = threadIdx.x;\n"
             "  c[t] = 20 + t;\n  __syncthreads();\n  if (t == 3) out[0] = in[3] + c[7];\n}\n");
    EXPECT_EQ(sums, std::set<std::string>{"sum of 3 and 27 (c[7])"});
    const std::set<std::string> products = made("__global__ void k(const float* in, float* out) {\n"
                                                "  int t = threadIdx.x;\n  if (t == 3) out[0] = in[3] * 2.5f;\n}\n");
    EXPECT_EQ(products, std::set<std::string>{"product of 3 and 2.5"});
}

} // namespace
} // namespace warptree::scene
