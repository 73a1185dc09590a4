// title: Sums of ragged rows, a warp each
// family: applied reductions
// launch: row_sums<<<ceil(rows / (B / 32)), B>>>(in, starts, out, rows)
// blocks: multiples of 32, 32 to 1024
// block: 64
// n: 32
// parameter: rows = n, 0 to 4096: row r has r elements; 0: as -n
// op: sum
// arg: in = random:max(rows * (rows - 1) / 2, 1)
// arg: starts = triangular:rows + 1
// outputs: rows
// expect: row-sums
// result: Lane 0 of each warp, the sum of its row, in a register.
// lesson: A warp for each row: its lanes read neighbouring elements, 32 at a time, and combine by shuffles. Loads coalesce,
//   and a long row holds up no other. Rows shorter than 32 leave lanes idle, and the shuffles take five steps however
//   short the row is.
#include "reduction.cuh"

__global__ void row_sums(const T* in, const unsigned* starts, T* out, unsigned rows) {
    const unsigned lane = threadIdx.x % 32, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows)
        return;
    T sum = 0;
    for (unsigned i = starts[row] + lane; i < starts[row + 1]; i += 32)
        sum += in[i];
    for (unsigned offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xFFFFFFFF, sum, offset);
    if (lane == 0)
        out[row] = sum;
}
