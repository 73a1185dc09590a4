// title: Look-back that waits for nobody
// family: scans
// launch: scan<exclusive><<<ceil(n / B), B, 34 * sizeof(T)>>>(in, out, tiles, drawn, n, stalled)
// blocks: multiples of 32, 32 to 512
// block: 256
// parameter: exclusive = off: leave a thread's own element out
// parameter: stalled = 0, 0 to 1048576: the block of this tile gets no turn until all others are done; 0: of none
// arg: tiles = zeros:2 * G
// arg: drawn = zeros:2
// expect: scan
// result: Thread t of the block with tile k holds the combine of all elements up to k B + t.
// lesson: In scan-lookback a tile waits for those before it. That ends only if the blocks that hold them go on: CUDA promises it
//   for blocks that run already, other GPUs do not, and a debugger or a preempted block breaks it anywhere. Here a block asks a
//   tile before it a number of times, and if there is still nothing, adds up that tile's elements itself, which it may: they
//   are input. So no block needs another one to make progress (decoupled fallback; Smith, Levien and Owens, 2025).
//   --stalled K takes the turns of tile K away, and the scan still ends; lookback-progress shows what look-back alone does.
#include "flagged.cuh"
#include "scan_load.cuh"
#include "scan_rows.cuh"

constexpr T aggregate_there = 1, prefix_there = 2; // flags of a tile: what it sums to, or all up to its end
constexpr unsigned patience = 256;                 // times that a tile is asked

__device__ __forceinline__ T warp_sum(T x) {
    for (unsigned mask = 16; mask > 0; mask /= 2)
        x = op(x, __shfl_xor_sync(0xFFFFFFFF, x, mask));
    return x;
}

// The block adds up a tile whose own block does not. All threads get the sum.
__device__ __forceinline__ T sum_of_tile(const T* in, unsigned tile, unsigned n, T* partial) {
    const unsigned i = tile * blockDim.x + threadIdx.x, warps = blockDim.x / 32;
    const T sum = warp_sum(i < n ? map(in[i]) : identity); // step: fallback: The block adds up a tile that nobody has published.
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = sum;
    __syncthreads();
    T total = partial[0];
    for (unsigned w = 1; w < warps; ++w) // one step: fallback
        total = op(total, partial[w]);
    return total;
}

struct Seen {
    T sum;
    unsigned tiles; // whose aggregates are in it
    bool prefix;    // and all that stands before them
};

// One warp asks the 32 tiles before `end`, as often as it has patience for, and combines the nearest ones that have something.
__device__ __forceinline__ Seen ask_before(const Flagged* tiles, unsigned end) {
    const unsigned lane = threadIdx.x % 32;
    Flagged seen;
    seen.x = identity;
    seen.y = prefix_there; // before the first tile stands nothing
    if (lane < end) {
        unsigned asked = 0;
        do
            seen = ask(tiles + (end - 1 - lane));
        while (seen.y == T(0) && ++asked < patience);
    }
    __syncwarp();
    const unsigned there = __ballot_sync(0xFFFFFFFF, seen.y != T(0));
    const unsigned near = ~there == 0 ? 32 : __ffs(~there) - 1; // lanes without a gap
    const unsigned prefixes = __ballot_sync(0xFFFFFFFF, seen.y == prefix_there && lane < near);
    const unsigned used = prefixes ? __ffs(prefixes) : near;
    return {warp_sum(lane < used ? seen.x : identity), used, prefixes != 0}; // step: look back: A warp asks 32 tiles before.
}

// What stands before the tile. All threads of the block call it and get it.
__device__ __forceinline__ T look_back(const T* in, const Flagged* tiles, unsigned tile, unsigned n, T* partial) {
    __shared__ unsigned end_seen; // tiles from here on are in `before`
    __shared__ bool complete, gap;
    T before = identity; // of warp 0, and of all in the end
    for (unsigned end = tile; end > 0;) {
        if (threadIdx.x < 32) {
            const Seen seen = ask_before(tiles, end);
            before = op(seen.sum, before); // step: look back
            if (threadIdx.x == 0) {
                end_seen = end - min(end, seen.tiles);
                complete = seen.prefix;
                gap = !seen.prefix && seen.tiles < 32;
            }
        }
        __syncthreads(); // step: how far: All threads learn how far warp 0 came.
        end = complete ? 0 : end_seen; // step: how far
        if (gap) {
            const T sum = sum_of_tile(in, end - 1, n, partial);
            before = op(sum, before); // step: fallback
            --end;
        }
        __syncthreads(); // all have read what warp 0 found
    }
    if (threadIdx.x == 0)
        partial[0] = before; // step: pass on: All threads get what stands before the tile.
    __syncthreads();
    return partial[0];
}

// `tiles`: a word a tile; `drawn`: tickets, and blocks that are done; all 0 when the grid begins.
template <bool exclusive>
__global__ void scan(const T* in, T* out, Flagged* tiles, unsigned* drawn, unsigned n, unsigned stalled) {
    extern __shared__ T sdata[]; // a word a warp
    __shared__ unsigned ticket;
    const unsigned B = blockDim.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        ticket = atomicAdd(drawn, 1); // step: ticket: Earlier tiles are drawn already.
        if (stalled > 0 && ticket == stalled)
            while (*(volatile unsigned*)(drawn + 1) < gridDim.x - 1) { // as if it got no turn
            }
    }
    __syncthreads();
    const unsigned tile = ticket, i = tile * B + threadIdx.x;
    T v[1][1] = {{i < n ? map(in[i]) : identity}};
    const T total = scan_rows(v);
    if (lane == 0)
        sdata[warp] = total;
    __syncthreads();
    T before = identity, aggregate = identity; // this warp, in the tile; and all warps
    for (unsigned w = 0; w < B / 32; ++w) {    // one step: D: Warps add what stands before them in the tile.
        if (w == warp)
            before = aggregate;
        aggregate = op(aggregate, sdata[w]);
    }
    if (threadIdx.x == 0)
        publish(tiles + tile, aggregate, tile == 0 ? prefix_there : aggregate_there); // step: publish sum
    __syncthreads();
    const T before_tile = look_back(in, tiles, tile, n, sdata);
    if (threadIdx.x == 0 && tile > 0)
        publish(tiles + tile, op(before_tile, aggregate), prefix_there); // step: publish: Tiles publish their prefix.

    before = op(before_tile, before); // step: add prefix: Threads add what stands before their tile.
    add_before_rows<exclusive>(before, v);
    if (i < n)
        out[i] = v[0][0];
    if (stalled == 0)
        return;
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(drawn + 1, 1); // step: done
}
