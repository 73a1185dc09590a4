// title: Single-pass scan with look-back
// family: scans
// where: R = vectors != 0 ? vectors : n < 65536 ? 0 : n < 524288 ? 4 : sizeof(T) == 8 ? 8 : 12
// where: tile = B * (R == 0 ? 1 : R * 16 / sizeof(T))
// launch: scan<exclusive, R><<<ceil(n / tile), B, 33 * sizeof(T)>>>(in, out, tiles, drawn, n)
// blocks: multiples of 32, 32 to 512
// block: 256
// parameter: exclusive = off: leave a thread's own element out
// parameter: vectors = 0, 0 to 12: 16-byte vectors a thread, 4 or 12 (8 of elements of 8 bytes); 0: by n, one element
//   below 2^16
// needs: vectors == 0 || vectors == 4 || vectors == (sizeof(T) == 8 ? 8 : 12): --vectors is not compiled for this
//   type; take 4 or 12 (8 of elements of 8 bytes), or 0 to leave it to n
// arg: tiles = zeros:2 * G
// arg: drawn = zeros:1
// expect: scan
// result: Thread t of the block with tile k holds the combine of all elements up to k B + t; with vectors, those of
//   its own.
// lesson: The scan of the whole array in one launch. Each block draws the next tile from a ticket, so that earlier
//   tiles are always at work; scans it; and publishes the tile's aggregate before it knows what stands before it. Then
//   one warp looks back at 32 tiles at a time, adding aggregates, until it meets one whose inclusive prefix is there,
//   publishes its own, and the block adds what stands before to its elements. Every element is read once and written
//   once (Merrill and Garland, 2016). A tile waits for all before it: what matters is that enough loads are in flight
//   meanwhile, so tiles are large, in rows of 32 vectors a warp, and each block asks for a later tile to be brought to
//   the L2 cache.
#include "flagged.cuh"
#include "scan_rows.cuh"
#include "vectors.cuh"

constexpr T aggregate_there = 1, prefix_there = 2; // flags of a tile: what it sums to, or all up to its end

// One thread asks for a tile's vectors from i on to be brought to the L2 cache.
__device__ __forceinline__ void prefetch(const T* in, unsigned i, unsigned vectors, unsigned n) {
#if __CUDA_ARCH__ >= 900
    constexpr unsigned prefetch_bytes = 32 << 20; // an input of no more is loaded sooner without
    if (threadIdx.x == 0 && n > prefetch_bytes / sizeof(T) && (i + vectors) * Vector::size <= n)
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(reinterpret_cast<const Vector*>(in) + i),
                     "r"(vectors * 16));
#endif
}

// One warp finds what stands before its tile, 32 tiles at a time, and publishes what it finds.
__device__ __forceinline__ T look_back(Flagged* tiles, unsigned tile, T aggregate) {
    const unsigned lane = threadIdx.x % 32;
    T before = identity;
    if (tile > 0) {
        if (lane == 0)
            publish(tiles + tile, aggregate, aggregate_there); // step: publish sum
        for (unsigned window = 0;; ++window) {
            const unsigned back = window * 32 + lane + 1; // of this lane
            T sum = identity, flag = prefix_there;
            if (back <= tile) {
                const Flagged seen = wait_for(tiles + tile - back);
                sum = seen.x;
                flag = seen.y;
            }
            const unsigned prefixes = __ballot_sync(0xFFFFFFFF, flag == prefix_there);
            if (prefixes & ((1u << lane) - 1)) // a nearer tile has all that stands before it
                sum = identity;
            // step: look back: A lane asks each of 32 tiles before; down to the first whose prefix is there.
            for (unsigned mask = 16; mask > 0; mask /= 2)
                sum = op(sum, __shfl_xor_sync(0xFFFFFFFF, sum, mask));
            before = op(sum, before);
            if (prefixes)
                break;
        }
    }
    if (lane == 0)
        publish(tiles + tile, op(before, aggregate), prefix_there); // step: publish: Tiles publish their prefix.
    return before;
}

// R vectors a thread, in rows of 32 a warp; R = 0: one element. `tiles`: a word a tile, and `drawn`, all 0 when the grid
// begins.
template <bool exclusive, unsigned R>
__global__ void scan(const T* in, T* out, Flagged* tiles, unsigned* drawn, unsigned n) {
    constexpr unsigned rows = R == 0 ? 1 : R, V = R == 0 ? 1 : Vector::size;
    extern __shared__ T sdata[]; // a word a warp, and what stands before the tile
    __shared__ unsigned ticket;
    const unsigned B = blockDim.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        ticket = atomicAdd(drawn, 1); // step: ticket: Earlier tiles are at work already.
    __syncthreads();
    const unsigned tile = ticket;
    const unsigned i = tile * (B * rows) + warp * (32 * rows) + lane; // the thread's first vector
    const bool whole = (tile + 1) * (B * rows * V) <= n;
    T v[rows][V];
    if constexpr (R == 0)
        v[0][0] = i < n ? map(in[i]) : identity;
    else {
        load_vectors<R>(in, i, 32, n, whole, v);
        constexpr unsigned ahead = (10 << 20) / 16; // vectors from a tile to the one that is brought to the L2 cache
        prefetch(in, tile * (B * R) + ahead, B * R, n);
    }

    const T total = scan_rows(v);
    if (lane == 0)
        sdata[warp] = total;
    __syncthreads();

    T before = identity; // this warp, in the tile
    // one step: D: Warps add what stands before them in the tile.
    for (unsigned w = 0; w < warp; ++w)
        before = op(before, sdata[w]);
    if (warp == B / 32 - 1) {
        // step: sum: What the last warp ends with is the sum of the tile.
        const T before_tile = look_back(tiles, tile, op(before, total));
        if (lane == 0)
            sdata[32] = before_tile;
    }
    __syncthreads();

    before = op(sdata[32], before); // step: add prefix: Threads add what stands before their tile.
    add_before_rows<exclusive>(before, v);
    if constexpr (R == 0) {
        if (i < n)
            out[i] = v[0][0];
    } else {
        store_vectors<R>(out, i, 32, n, whole, v);
    }
}
