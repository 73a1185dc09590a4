// title: Sums of ragged rows, a thread each
// family: applied reductions
// launch: row_sums<<<ceil(rows / B), B>>>(in, starts, out, rows)
// blocks: 1 to 1024
// block: 64
// n: 32
// parameter: rows = n, 0 to 4096: row r has r elements; 0: as -n
// op: sum
// arg: in = random:max(rows * (rows - 1) / 2, 1)
// arg: starts = triangular:rows + 1
// outputs: rows
// expect: row-sums
// result: Every thread, the sum of its row, in a register.
// lesson: Sparse matrices and graphs are rows of different lengths, one behind the other, with a list of where each one
//   starts. A thread for each row is the first idea, and has two faults. A warp takes as long as its longest row, while
//   the lanes of the shorter ones wait: divergence by data. And neighbouring lanes read elements that are rows apart, so
//   that loads do not coalesce.
#include "reduction.cuh"

__global__ void row_sums(const T* in, const unsigned* starts, T* out, unsigned rows) {
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    T sum = 0;
    for (unsigned i = starts[row]; i < starts[row + 1]; ++i)
        sum += in[i];
    out[row] = sum;
}
