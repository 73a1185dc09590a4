// title: Sums of ragged rows, a block each
// family: applied reductions
// launch: row_sums<<<rows, B, B * sizeof(T)>>>(in, starts, out, rows)
// blocks: powers of two, 1 to 1024
// block: 64
// n: 32
// parameter: rows = n, 0 to 4096: row r has r elements; 0: as -n
// op: sum
// arg: in = random:max(rows * (rows - 1) / 2, 1)
// arg: starts = triangular:rows + 1
// outputs: rows
// expect: row-sums
// result: Thread 0 of each block, the sum of its row, in word 0 of shared memory.
// lesson: A block for each row, as sequential sums an array: right for rows of thousands of elements. Most rows of most
//   matrices are shorter than a block, and then most of its threads have nothing to add. Which of the three is fastest
//   is a question to the lengths, and libraries sort rows by them.
#include "reduction.cuh"

__global__ void row_sums(const T* in, const unsigned* starts, T* out, unsigned rows) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x, row = blockIdx.x;
    T sum = 0;
    for (unsigned i = starts[row] + tid; i < starts[row + 1]; i += blockDim.x)
        sum += in[i];
    sdata[tid] = sum;
    __syncthreads();

    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        out[row] = sdata[0];
}
