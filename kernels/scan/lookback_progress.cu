// title: What look-back asks of the scheduler
// family: what goes wrong
// where: bytes = model == 1 ? 200000 : 33 * sizeof(T)
// launch: scan<<<ceil(n / B), B, bytes>>>(in, out, tiles, drawn, n, model)
// blocks: multiples of 32, 32 to 512
// block: 32
// n: 8192
// parameter: model = 2, 0 to 2: 0: blocks begin in order; 1: as many as fit run, and go on; 2: no guarantee, tile 1 gets no turn
// arg: tiles = zeros:2 * G
// arg: drawn = zeros:2
// expect: scan
// goes wrong: deadlock
// result: Thread t of the block with tile k holds the combine of all elements up to k B + t, where the scan ends.
// lesson: A tile that looks back waits for those before it, so the scan ends only if their blocks make progress. With --model 0 a
//   block draws its tile when it begins: those before are drawn, their blocks run, and CUDA lets blocks that run go on. With
//   --model 1 the block's index says the tile, from the last, as on a device that begins with the last block: as many as fit
//   wait for tiles whose blocks cannot begin before one of them ends. 128 blocks fit, and end (-n 4096); 256 hang. With --model
//   2 one block that runs gets no turn, as on a GPU without that promise, and all behind it wait. lookback-fallback ends under
//   each of them.
// hazard: Blocks wait for blocks, and only the order in which these begin says whether that ends.
// on a GPU: With --model 1 the same, if it begins with block 0, as today's do, and more blocks are launched than fit: nothing
//   ends until a watchdog ends the kernel. A GPU of NVIDIA gives every block that runs its turns, so --model 2 is not seen there.
#include "flagged.cuh"
#include "scan_load.cuh"
#include "scan_rows.cuh"

constexpr T aggregate_there = 1, prefix_there = 2; // flags of a tile: what it sums to, or all up to its end

// One thread finds what stands before its tile, tile by tile.
__device__ __forceinline__ T look_back(const Flagged* tiles, unsigned tile) {
    T before = identity;
    // step: look back: One thread asks a tile before it after the other.
    for (unsigned k = tile; k > 0; --k) {
        const Flagged seen = wait_for(tiles + k - 1);
        before = op(seen.x, before);
        if (seen.y == prefix_there)
            break;
    }
    return before;
}

// `tiles`: a word a tile; `drawn`: tickets, and blocks that are done; all 0 when the grid begins.
__global__ void scan(const T* in, T* out, Flagged* tiles, unsigned* drawn, unsigned n, unsigned model) {
    extern __shared__ T sdata[]; // a word a warp, and what stands before the tile
    __shared__ unsigned ticket;
    const unsigned B = blockDim.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        ticket = model == 1 ? gridDim.x - 1 - blockIdx.x : atomicAdd(drawn, 1); // step: ticket
        if (model == 2 && ticket == 1)
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
    if (threadIdx.x == 0) {
        if (tile > 0)
            publish(tiles + tile, aggregate, aggregate_there); // step: publish sum
        const T before_tile = look_back(tiles, tile);
        publish(tiles + tile, op(before_tile, aggregate), prefix_there); // step: publish: Tiles publish their prefix.
        sdata[32] = before_tile;
    }
    __syncthreads(); // step: pass on: All threads get what stands before the tile.
    before = op(sdata[32], before); // step: add prefix: Threads add what stands before their tile.
    add_before_rows<false>(before, v);
    if (i < n)
        out[i] = v[0][0];
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(drawn + 1, 1); // step: done
}
