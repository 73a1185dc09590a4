// title: A matrix product by tiles
// family: what goes wrong
// where: tile = B == 256 ? 16 : 32
// launch: matmul<tile><<<dim3(ceil(columns / tile), ceil(rows / tile)), dim3(tile, tile)>>>(a, b, c, rows, columns,
//   inner)
// n: 32
// blocks: powers of four, 256 to 1024
// block: 256
// parameter: rows = n, 0 to 4096: rows of A and C; 0: as -n
// parameter: columns = n, 0 to 4096: columns of B and C; 0: as -n
// parameter: inner = n, 0 to 4096: columns of A, rows of B; 0: as -n
// needs: rows * columns <= 1 << 27 && rows * columns * inner <= 1 << 27: a product of these matrices takes more than
//   the 2^27 multiplications that can be traced; take 512 elements (-n 512) or less
// op: sum
// arg: a = random:rows * inner
// arg: b = random:inner * columns
// expect: matrix-product(rows, inner, columns)
// result: Every thread, its element of C, in a register.
// lesson: C = A × B, a tile of C a block and an element a thread. In the load phase each thread brings one element of
//   A and one of B into shared memory, and a barrier waits for all; in the compute phase each adds the products of a
//   row and a column of the tiles, and a second barrier keeps the next load from overwriting what others still read.
//   An element that is loaded once is used as often as the tile is wide: tiles of 16 load 512 values for 8192
//   operations, tiles of 32 load 2048 for 65,536. Past the edges the tiles are filled with zeros. Step first = p is the
//   compute phase of the tiles that begin at p.
// hazard: Nothing goes wrong here. Without the second barrier a fast warp would load the next tile over one that
//   others still read.
// on a GPU: Loads from global memory fall by the width of the tile.
#include "reduction.cuh"

template <unsigned tile>
__global__ void matmul(const T* a, const T* b, T* c, unsigned rows, unsigned columns, unsigned inner) {
    __shared__ T a_tile[tile][tile], b_tile[tile][tile];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const unsigned row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
    T sum = 0;
    for (unsigned first = 0; first < inner; first += tile) {
        a_tile[y][x] = row < rows && first + x < inner ? a[row * inner + first + x] : T(0);
        b_tile[y][x] = first + y < inner && column < columns ? b[(first + y) * columns + column] : T(0);
        __syncthreads();

        for (unsigned k = 0; k < tile; ++k)
            sum += a_tile[y][k] * b_tile[k][x];
        __syncthreads();
    }

    if (row < rows && column < columns)
        c[row * columns + column] = sum;
}
