// title: A cluster of blocks, one atomic each
// family: shuffles and atomics
// launch: reduce<<<8 * min(ceil(n / (8 * B)), 128), B, 32 * sizeof(T)>>>(in, out, n)
// blocks: multiples of 32, 32 to 1024
// block: 256
// arg: out = identity:1
// finish: atomic
// expect: sum
// result: No thread: the total in global memory, once every cluster is done.
// lesson: Eight blocks form a cluster: they run at the same time on neighbouring multiprocessors, meet at a barrier of
//   their own, and reach one another's shared memory (since compute capability 9.0). Each block leaves its partial in
//   its own shared memory; block 0 of the cluster reads the other seven, and one atomic a cluster reaches the total: an
//   eighth of block-atomic's, for two barriers of eight blocks. The second keeps every block, and its shared memory,
//   until the last read. For one value a block that does not pay: on an H200 block-atomic is faster at every n, as each
//   block waits twice for the slowest of eight. Clusters are meant for blocks that exchange much, as those of a
//   histogram that is too large for the shared memory of one.
#include "warp_reduce.cuh"

#include <cooperative_groups.h>

constexpr unsigned blocks = 8; // of a cluster

__global__ void __cluster_dims__(blocks, 1, 1) reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    __shared__ T partial;
    const auto cluster = cooperative_groups::this_cluster();
    const unsigned grid_stride = gridDim.x * blockDim.x;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = i < n ? in[i] : identity;
    for (i += grid_stride; i < n; i += grid_stride)
        sum = op(sum, in[i]);
    const T v = block_reduce(sum, sdata);
    if (threadIdx.x == 0)
        partial = v;
    cluster.sync(); // all partials are there

    if (cluster.block_rank() == 0 && threadIdx.x < 32) {
        const unsigned rank = threadIdx.x;
        T total = identity;
        if (rank < blocks)
            total = *cluster.map_shared_rank(&partial, rank);
        // step: cluster: Block 0 of each cluster combines the partials of all eight.
        for (unsigned s = blocks / 2; s > 0; s /= 2)
            total = op(total, __shfl_down_sync(0xFFFFFFFF, total, s));
        if (rank == 0)
            atomic_op(out, total); // step: total: One atomic a cluster.
    }
    cluster.sync(); // no block ends while its partial is read
}
