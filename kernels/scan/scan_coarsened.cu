// title: Scan of batches
// family: scans
// launch: scan<exclusive, batch, vectors><<<ceil(n / (B * batch)), B, 32 * sizeof(T)>>>(in, out, n)
// tile: B * batch
// blocks: multiples of 32, 32 to 1024
// block: 128
// parameter: exclusive = off: leave a thread's own element out
// parameter: batch = 4, powers of two, 1 to 16: elements a thread scans one after another
// parameter: vectors = off: load and store 16 bytes at once
// needs: !vectors || batch * sizeof(T) % 16 == 0: --vectors needs a batch of 16 bytes or a multiple; take a larger
//   --batch
// expect: block-scan
// result: Thread t holds elements t K to t K + K - 1 of the tile's scan, for a batch of K.
// lesson: Each thread scans a batch of neighbouring elements one after another, which wastes no combine; scan-warp
//   scans the threads' totals; and each thread adds what stands before its batch. Fewer barriers and shuffles an
//   element: the larger the batch, the nearer to the bandwidth of memory, until registers run short. But then the lanes
//   of a warp load elements that lie a batch apart: with --vectors the batch is loaded and stored 16 bytes at a time,
//   and a batch of 16 bytes is coalesced again. Tune block size and batch together.
#include "block_scan.cuh"
#include "scan_load.cuh"
#include "vectors.cuh"

// A batch of K elements a thread, which stays in registers because K is known to the compiler.
template <bool exclusive, unsigned K>
__device__ __forceinline__ void scan_elements(const T* in, T* out, unsigned n, T* sdata) {
    T v[K];
    const unsigned first = blockIdx.x * (blockDim.x * K);
    const unsigned i = first + threadIdx.x * K;
    for (unsigned k = 0; k < K; ++k)
        v[k] = scan_load<exclusive>(in, i + k, first, n);
    for (unsigned k = 1; k < K; ++k)
        v[k] = op(v[k - 1], v[k]);

    const T total = block_scan(v[K - 1], sdata);

    if constexpr (K > 1) { // add what stands before the thread's batch
        T before = __shfl_up_sync(0xFFFFFFFF, total, 1);
        if (threadIdx.x % 32 == 0 && threadIdx.x > 0)
            before = sdata[threadIdx.x / 32 - 1];
        if (threadIdx.x > 0)
            // one step: E: Threads add what stands before their batch.
            for (unsigned k = 0; k < K - 1; ++k)
                v[k] = op(before, v[k]);
    }
    v[K - 1] = total;

    for (unsigned k = 0; k < K; ++k)
        if (i + k < n)
            out[i + k] = v[k];
}

// The same with a batch of R vectors. Each warp adds up the totals before it by itself, which saves a barrier; and an
// exclusive scan moves what it stores by one, not what it loads.
template <bool exclusive, unsigned R>
__device__ __forceinline__ void scan_vectors(const T* in, T* out, unsigned n, T* sdata) {
    constexpr unsigned V = Vector::size, K = R * V;
    T v[R][V];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned tile = blockIdx.x * blockDim.x; // in batches
    const bool whole = (tile + blockDim.x) * K <= n;
    const unsigned i = (tile + threadIdx.x) * R;
    load_vectors<R>(in, i, 1, n, whole, v);
    for (unsigned k = 1; k < K; ++k)
        v[k / V][k % V] = op(v[(k - 1) / V][(k - 1) % V], v[k / V][k % V]);

    const T scanned = warp_scan(v[R - 1][V - 1]);
    if (lane == 31)
        sdata[warp] = scanned;
    __syncthreads();

    T before = identity;
    // one step: D: Warps add what stands before them.
    for (unsigned w = 0; w < warp; ++w)
        before = op(before, sdata[w]);
    const T below = __shfl_up_sync(0xFFFFFFFF, scanned, 1);
    if (lane > 0)
        before = op(before, below);
    for (unsigned k = 0; k < K; ++k)
        v[k / V][k % V] = op(before, v[k / V][k % V]);
    if (exclusive) {
        for (unsigned k = K - 1; k > 0; --k)
            v[k / V][k % V] = v[(k - 1) / V][(k - 1) % V];
        v[0][0] = before;
    }
    store_vectors<R>(out, i, 1, n, whole, v);
}

template <bool exclusive, unsigned batch, bool vectors> __global__ void scan(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    if constexpr (vectors)
        scan_vectors<exclusive, batch / Vector::size>(in, out, n, sdata);
    else
        scan_elements<exclusive, batch>(in, out, n, sdata);
}
