// CUB in programs: blocks and warps in device code, the whole device by the host.
#include "tests/run/program_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree {
namespace {

using ::testing::IsEmpty;

class ProgramCub : public Program {};

// Blocks of three warps, the last of them not full, against sums of the host's.
TEST_F(ProgramCub, ReducesAndScansBlocks) {
    const RanProgram ran = run(R"(#include <algorithm>
#include <climits>
#include <cstdio>
#include <cub/cub.cuh>
template <int B> __global__ void blocks(const int* in, int* sums, int* most, int* scans, int* ends, int n) {
    typedef cub::BlockReduce<int, B> Reduce;
    typedef cub::BlockScan<int, B> Scan;
    __shared__ typename Reduce::TempStorage of_sum, of_most;
    __shared__ typename Scan::TempStorage of_scan;
    const int i = blockIdx.x * B + threadIdx.x, v = i < n ? in[i] : 0;
    const int sum = Reduce(of_sum).Sum(v), largest = Reduce(of_most).Reduce(v, cub::Max());
    int before, all;
    Scan(of_scan).ExclusiveSum(v, before, all);
    if (i < n) scans[i] = before;
    if (threadIdx.x == 0) sums[blockIdx.x] = sum, most[blockIdx.x] = largest;
    if (threadIdx.x == B - 1) ends[blockIdx.x] = all;
}
int main() {
    const int b = 80, n = 200, grid = 3;
    int h[n], sums[grid], most[grid], ends[grid], scans[n], *in, *d[4];
    for (int i = 0; i < n; ++i) h[i] = i * 37 % 101 - 20;
    cudaMalloc(&in, sizeof h);
    for (int*& p : d) cudaMalloc(&p, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    blocks<b><<<grid, b>>>(in, d[0], d[1], d[2], d[3], n);
    cudaMemcpy(sums, d[0], sizeof sums, cudaMemcpyDeviceToHost);
    cudaMemcpy(most, d[1], sizeof most, cudaMemcpyDeviceToHost);
    cudaMemcpy(scans, d[2], sizeof scans, cudaMemcpyDeviceToHost);
    cudaMemcpy(ends, d[3], sizeof ends, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int k = 0; k < grid; ++k) {
        int sum = 0, largest = INT_MIN;
        for (int i = k * b; i < k * b + b; ++i) {
            if (i < n) wrong += scans[i] != sum;
            sum += i < n ? h[i] : 0;
            largest = std::max(largest, i < n ? h[i] : 0);
        }
        wrong += sums[k] != sum || ends[k] != sum || most[k] != largest;
    }
    printf("%d\n", wrong);
    cudaFree(in);
    for (int* p : d) cudaFree(p);
})");
    EXPECT_EQ(ran.out, "0\n");
    EXPECT_THAT(ran.kinds(), IsEmpty());
    ASSERT_EQ(ran.result.trace.launches.size(), 1U);
    EXPECT_THAT(ran.result.trace.launches[0].findings, IsEmpty());
}

TEST_F(ProgramCub, HasWarpsAndTheDevice) {
    EXPECT_EQ(run(R"(#include <cstdio>
#include <cub/cub.cuh>
__global__ void warps(const double* in, double* sums, double* scans) {
    __shared__ cub::WarpReduce<double>::TempStorage of_sum[2];
    __shared__ cub::WarpScan<double>::TempStorage of_scan[2];
    const int warp = threadIdx.x / 32;
    const double v = in[threadIdx.x], sum = cub::WarpReduce<double>(of_sum[warp]).Sum(v);
    if (threadIdx.x % 32 == 0) sums[warp] = sum;
    cub::WarpScan<double>(of_scan[warp]).InclusiveSum(v, scans[threadIdx.x]);
}
int main() {
    double h[64], *in, *sums, *scans, s[2], last;
    for (int i = 0; i < 64; ++i) h[i] = i < 32 ? 0.5 : 1;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&scans, sizeof h);
    cudaMalloc(&sums, sizeof s);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    warps<<<1, 64>>>(in, sums, scans);
    cudaMemcpy(s, sums, sizeof s, cudaMemcpyDeviceToHost);
    cudaMemcpy(&last, scans + 62, sizeof last, cudaMemcpyDeviceToHost);
    printf("%g %g %g\n", s[0], s[1], last);

    int keys[6] = {5, -1, 9, 3, 9, 0}, *k, *to, got[6];
    cub::KeyValuePair<int, int>*best, place;
    cudaMalloc(&k, sizeof keys);
    cudaMalloc(&to, sizeof keys);
    cudaMalloc(&best, sizeof place);
    cudaMemcpy(k, keys, sizeof keys, cudaMemcpyHostToDevice);
    void* temporary = nullptr;
    size_t bytes = 0;
    cub::DeviceReduce::Sum(temporary, bytes, k, to, 6);
    cudaMalloc(&temporary, bytes);
    cub::DeviceReduce::Sum(temporary, bytes, k, to, 6);
    cub::DeviceReduce::ArgMax(temporary, bytes, k, best, 6);
    cudaMemcpy(got, to, 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(&place, best, sizeof place, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", got[0], place.key, place.value);
    cub::DeviceRadixSort::SortKeys(temporary, bytes, k, to, 6);
    cub::DeviceScan::ExclusiveSum(temporary, bytes, to, to, 6);
    cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost);
    for (const int x : got) printf("%d ", x);
})")
                  .out,
              "16 32 31\n25 2 9\n0 -1 -1 2 7 16 ");
}

} // namespace
} // namespace warptree
