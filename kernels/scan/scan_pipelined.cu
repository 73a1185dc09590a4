// title: Single-pass scan, pipelined
// family: scans
// where: R = vectors != 0 ? vectors : n * sizeof(T) < 2097152 ? 2 : n * sizeof(T) < 33554432 ? 6 : 5
// where: tile = (B - 32) * R * 16 / sizeof(T)
// where: warps = B / 32 - 1
// where: few = ceil(n / tile) <= blocks
// launch: scan<exclusive, R><<<min(ceil(n / tile), blocks), B, ((few ? 1 : 3) * tile + 4 * (2 * warps + 1) + 1) *
//   sizeof(T)>>>(in, out, tiles, drawn, n)
// blocks: multiples of 32, 64 to 512
// block: 512
// parameter: exclusive = off: leave a thread's own element out
// parameter: vectors = 0, 0 to 6: 16-byte vectors a thread and tile, 2, 5 or 6; 0: by n. In blocks of 512 they need 46,
//   113 or 136 KB of shared memory
// parameter: blocks = 132, 1 to 65536: most blocks of the grid
// needs: vectors == 0 || vectors == 2 || vectors == 5 || vectors == 6: --vectors is not compiled for this number; take 2,
//   5 or 6, or 0 to leave it to n
// arg: tiles = zeros:2 * ceil(n / tile)
// arg: drawn = zeros:1
// expect: scan
// result: Each lane holds the combines of all elements up to those of its vectors; warp 0 none.
// lesson: The fastest scan here. In scan-lookback a tile waits for all before it and does nothing else meanwhile.
//   Here a block has three tiles under way: they are copied to shared memory while it works on others, and each is
//   added up, and its aggregate published, two tiles before its turn to be scanned. By then the aggregates of all tiles
//   since the block's last one are there: the first warp, which does nothing else, adds them to the prefix that it has
//   kept, and no tile waits for another's prefix. The other warps scan. A lane copies just the vectors that it will
//   read, so that it need not wait for others to see them; and each warp asks for its part of the tile a grid further
//   on, likely the block's next, to be brought to the L2 cache.
#include "flagged.cuh"
#include "reduce/warp_reduce.cuh"
#include "scan_rows.cuh"
#include "vectors.cuh"

#include <cuda_pipeline.h>

constexpr unsigned stages = 3; // tiles of a block under way
constexpr unsigned ahead = 2;  // tiles between the one that is scanned and the one that is added up
constexpr unsigned reads = 6;  // of other tiles that a lane has under way: for 132 blocks, and some that went ahead
constexpr unsigned turns = 4;  // sets of the warps' totals: a power of two above ahead + 1
constexpr unsigned V = Vector::size;

// The block's tiles under way, and where in shared memory its words stand.
struct Block {
    unsigned count;         // tiles in all
    unsigned draws;         // of tiles, and of numbers past the last
    unsigned warps;         // that scan: all but the first
    bool one_each;          // a tile a block
    T* totals;              // by turn, of the scanning warps
    T* befores;             // by turn, what stands before each of them and behind the last
    T* prefix;              // what stands before the tile
    unsigned tile[stages]; // this turn's first; count or more: none

    __device__ T* totals_of(unsigned turn) const { return totals + turn % turns * warps; }
    __device__ T* befores_of(unsigned turn) const { return befores + turn % turns * (warps + 1); }
    __device__ bool adds_up() const { return tile[ahead] < count; }
    __device__ void next(unsigned fresh) {
        for (unsigned k = 0; k + 1 < stages; ++k)
            tile[k] = tile[k + 1];
        tile[stages - 1] = fresh;
    }
};

// A barrier that whole warps may reach at different places of the program, which __syncthreads does not allow.
__device__ __forceinline__ void meet() {
    __syncwarp(); // it counts warps as they arrive, not their lanes
    asm volatile("barrier.sync 1, %0;" ::"r"(blockDim.x) : "memory");
}

// The thread's vectors of a tile, from vector i of the input on, to shared memory, while the thread goes on. `whole`: all of
// the tile's exist, which is asked once for all of them.
template <unsigned R>
__device__ __forceinline__ void copy(T* to, unsigned k, const T* in, unsigned i, unsigned n, bool whole) {
    if (whole) {
        for (unsigned r = 0; r < R; ++r)
            __pipeline_memcpy_async(to + (k + r * 32) * V, in + (i + r * 32) * V, 16);
    } else {
        for (unsigned e = 0; e < R * V; ++e) {
            const unsigned row = e / V * 32, at = (i + row) * V + e % V;
            to[(k + row) * V + e % V] = at < n ? in[at] : identity;
        }
    }
}

// The warp's part of a tile, from its vector i on, to the L2 cache, 128 bytes a lane, while the thread goes on.
template <unsigned R> __device__ __forceinline__ void prefetch(const T* in, unsigned i) {
    const unsigned lane = threadIdx.x % 32;
    if (lane < R * 4)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(reinterpret_cast<const Vector*>(in) + i + lane * 8));
}

// The warp's part of a tile, whose vectors of this thread begin at k, made one.
template <unsigned R> __device__ __forceinline__ void add_up(const T* sdata, unsigned k, T* total) {
    T sum = identity;
    for (unsigned r = 0; r < R; ++r) {
        const Vector v = reinterpret_cast<const Vector*>(sdata)[k + r * 32];
        T row = map(v[0]);
        for (unsigned e = 1; e < V; ++e)
            row = op(row, map(v[e]));
        sum = r == 0 ? row : op(sum, row);
    }
    sum = warp_reduce(sum); // step: add up: Each warp reduces its part of a tile.
    if (threadIdx.x % 32 == 0)
        *total = sum;
}

// The first warp: scans the totals of the others for what stands before each of them, and publishes the tile's.
__device__ __forceinline__ void publish_tile(Flagged* tiles, const Block& b, unsigned tile, unsigned turn) {
    const unsigned lane = threadIdx.x % 32;
    T total = lane < b.warps ? b.totals_of(turn)[lane] : identity;
    // step: C: The first warp scans the totals of the others.
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        const T below = __shfl_up_sync(0xFFFFFFFF, total, offset);
        if (lane >= offset)
            total = op(below, total);
    }
    if (lane == b.warps - 1)
        publish(tiles + tile, total, T(1)); // step: publish
    T before = __shfl_up_sync(0xFFFFFFFF, total, 1);
    if (lane == 0)
        before = identity;
    if (lane <= b.warps)
        b.befores_of(turn)[lane] = before;
    __syncwarp(); // another lane may read it next
}

// The next tile of the block, from thread 0, which has drawn it.
__device__ __forceinline__ unsigned next_tile(unsigned asked, unsigned& turn) {
    __shared__ unsigned got[2]; // in turns, so that one barrier does
    if (threadIdx.x == 0)
        got[turn] = asked;
    meet();
    const unsigned tile = got[turn]; // step: next tile: Thread 0 hands the tile on that it has drawn.
    turn ^= 1;
    return tile;
}

// What a lane has asked for of the aggregates of tiles first, first + 32, … that stand before tile `end`.
struct Asked {
    unsigned first, end;
    Flagged seen[reads];

    __device__ unsigned tile(unsigned r) const { return min(first + r * 32, end); } // a condition would wait for each
};

// Does not wait for the answers.
__device__ __forceinline__ Asked ask_all(const Flagged* tiles, unsigned first, unsigned end) {
    Asked asked{first, end};
    for (unsigned r = 0; r < reads; ++r)
        asked.seen[r] = ask(tiles + asked.tile(r));
    return asked;
}

// Waits for them, all lanes together; those of the lane are combined.
__device__ __forceinline__ T combine_asked(const Flagged* tiles, Asked& asked) {
    for (;;) {
        bool all = true;
        for (unsigned r = 0; r < reads; ++r)
            all &= asked.seen[r].y != T(0);
        if (__all_sync(0xFFFFFFFF, all))
            break;
        for (unsigned r = 0; r < reads; ++r)
            if (asked.seen[r].y == T(0))
                asked.seen[r] = ask(tiles + asked.tile(r));
    }
    T sum = identity;
    for (unsigned r = 0; r < reads; ++r)
        if (asked.first + r * 32 < asked.end)
            sum = op(sum, asked.seen[r].x);
    for (unsigned k = asked.first + reads * 32; k < asked.end; k += 32)
        sum = op(sum, wait_for(tiles + k).x);
    return sum;
}

// The first warp, at the barriers of the others: publishes the tile that they have added up, then finds what stands before
// the one that they scan meanwhile. It asks for those aggregates before the barrier, as they are far.
__device__ __forceinline__ void lead(Flagged* tiles, unsigned* drawn, Block& b, unsigned asked, unsigned got) {
    const unsigned lane = threadIdx.x;
    T sum = identity; // of all tiles before `next`
    unsigned next = 0;
    for (unsigned turn = 0; b.tile[0] < b.count; ++turn) {
        Asked before_it = ask_all(tiles, next + lane, b.tile[0]);
        const unsigned fresh = b.one_each ? b.count : next_tile(asked, got);
        if (b.adds_up())
            publish_tile(tiles, b, b.tile[ahead], turn + ahead);
        if (!b.one_each && b.tile[1] < b.count && lane == 0)
            asked = draw(drawn, b.draws);
        T seen = combine_asked(tiles, before_it);
        // step: look back: A lane for each tile between the last one and this.
        for (unsigned mask = 16; mask > 0; mask /= 2)
            seen = op(seen, __shfl_xor_sync(0xFFFFFFFF, seen, mask));
        const T before = op(sum, seen);
        if (lane == 0)
            *b.prefix = before;
        sum = op(before, b.befores_of(turn)[b.warps]);
        next = b.tile[0] + 1;
        meet();
        b.next(fresh);
    }
}

// The other warps: add up a tile that has come, and scan the one whose turn it is.
template <bool exclusive, unsigned R>
__device__ __forceinline__ void follow(const T* in, T* out, unsigned n, Block& b, T* sdata, unsigned size, unsigned got) {
    const unsigned warp = threadIdx.x / 32 - 1, mine = warp * 32 * R + threadIdx.x % 32; // first vector in a tile
    unsigned place = 0;                                                                   // of this turn's tile
    for (unsigned turn = 0; b.tile[0] < b.count; ++turn) {
        if (b.adds_up()) {
            __pipeline_wait_prior(stages - 1 - ahead);
            add_up<R>(sdata, (place + ahead) % stages * size + mine, b.totals_of(turn + ahead) + warp);
        }
        T v[R][V];
        for (unsigned r = 0; r < R; ++r) {
            const Vector loaded = reinterpret_cast<const Vector*>(sdata)[place * size + mine + r * 32];
            for (unsigned k = 0; k < V; ++k)
                v[r][k] = map(loaded[k]);
        }
        const unsigned fresh = b.one_each ? b.count : next_tile(0, got);
        if (fresh < b.count)
            copy<R>(sdata, place * size + mine, in, fresh * size + mine, n, (fresh + 1) * size * V <= n);
        __pipeline_commit();
        if ((fresh + gridDim.x + 1) * size * V <= n)
            prefetch<R>(in, (fresh + gridDim.x) * size + warp * 32 * R);
        scan_rows(v);
        meet();

        const T before = op(*b.prefix, b.befores_of(turn)[warp]);
        add_before_rows<exclusive>(before, v);
        const unsigned tile = b.tile[0];
        store_vectors<R>(out, tile * size + mine, 32, n, (tile + 1) * size * V <= n, v);
        b.next(fresh);
        place = (place + 1) % stages;
    }
}

// `tiles`: a word a tile, and `drawn`, all 0 when the grid begins.
template <bool exclusive, unsigned R>
__global__ void scan(const T* in, T* out, Flagged* tiles, unsigned* drawn, unsigned n) {
    extern __shared__ __align__(16) T sdata[];
    const bool leads = threadIdx.x < 32;
    Block b;
    b.warps = blockDim.x / 32 - 1;
    const unsigned size = b.warps * 32 * R; // of a tile, in vectors
    b.count = (n + size * V - 1) / (size * V);
    b.one_each = b.count <= gridDim.x;
    b.draws = b.count + gridDim.x * stages;
    b.totals = sdata + (b.one_each ? 1 : stages) * size * V;
    b.befores = b.totals + turns * b.warps;
    b.prefix = b.befores + turns * (b.warps + 1);
    const unsigned warp = leads ? 0 : threadIdx.x / 32 - 1, mine = warp * 32 * R + threadIdx.x % 32;
    const bool many = b.count >= 2 * stages * gridDim.x; // else all is asked for at once anyway
    unsigned asked = 0, got = 0;                         // of thread 0, of next_tile

    for (unsigned k = 0; k < stages; ++k) {
        b.tile[k] = b.count;
        if (k == 0 || !b.one_each) {
            if (threadIdx.x == 0)
                asked = draw(drawn, b.draws);
            b.tile[k] = next_tile(asked, got);
        }
        if (!leads && b.tile[k] < b.count)
            copy<R>(sdata, k * size + mine, in, b.tile[k] * size + mine, n, (b.tile[k] + 1) * size * V <= n);
        __pipeline_commit();
        if (!leads && many && (b.tile[k] + gridDim.x + 1) * size * V <= n)
            prefetch<R>(in, (b.tile[k] + gridDim.x) * size + warp * 32 * R);
    }
    if (!b.one_each && b.tile[0] < b.count && threadIdx.x == 0)
        asked = draw(drawn, b.draws);
    if (!leads && b.tile[0] < b.count) {
        __pipeline_wait_prior(stages - 1);
        add_up<R>(sdata, mine, b.totals_of(0) + warp);
    }
    if (!leads && b.tile[1] < b.count) {
        __pipeline_wait_prior(stages - 2);
        add_up<R>(sdata, size + mine, b.totals_of(1) + warp);
    }
    __syncthreads();

    if (leads) {
        for (unsigned k = 0; k < ahead; ++k)
            if (b.tile[k] < b.count)
                publish_tile(tiles, b, b.tile[k], k);
        lead(tiles, drawn, b, asked, got);
    } else {
        follow<exclusive, R>(in, out, n, b, sdata, size, got);
    }
}
