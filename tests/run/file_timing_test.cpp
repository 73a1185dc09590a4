#include "app/measure/gpu/file_timing.hpp"
#include "app/measure/gpu/interpreted_first.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace warptree::runs {
namespace {

// An output of unstated size counts only as far as the kernel writes it: one partial per block, not one per element.
TEST(FileTiming, CountsWhatAFileMoves) {
    const std::string path = testing::TempDir() + "moves.cu";
    std::ofstream(path) << "__global__ void sum(const int* in, int* out, unsigned n) {\n"
                           "    __shared__ int s[256];\n"
                           "    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
                           "    s[t] = i < n ? in[i] : 0;\n"
                           "    __syncthreads();\n"
                           "    for (unsigned d = 128; d > 0; d /= 2) {\n"
                           "        if (t < d) s[t] += s[t + d];\n"
                           "        __syncthreads();\n"
                           "    }\n"
                           "    if (t == 0) out[blockIdx.x] = s[0];\n"
                           "}\n";
    timing::Configuration what;
    what.variant = "moves.cu";
    what.n = 1 << 20;
    what.block = 256;
    const RunOptions options = timed_options(what, path, 1);
    const Interpreted first = interpreted_first(options, false);
    ASSERT_EQ(first.refusal, "");
    const timing::Traffic moved = traffic_of(options, first.reached);
    EXPECT_EQ(moved.read, 4U << 20);
    EXPECT_EQ(moved.written, 4U << 12);
}

} // namespace
} // namespace warptree::runs
