#include "tests/support/snippet.hpp"

#include "app/compile/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree::tests {
namespace {

TEST(LowerBasics, InterleavedReduction) {
    const compile::Program p = lower_snippet(R"(
__global__ void reduce(const int* in, int* out, unsigned n) {
  extern __shared__ int s[];
  unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  s[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    if (tid % (2 * d) == 0)
      s[tid] += s[tid + d];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
})");
    std::fputs(compile::listing(p).c_str(), stderr);
    EXPECT_EQ(compile::program_from_bytes(compile::to_bytes(p)), p);
}

} // namespace
} // namespace warptree::tests
