// title: Vectorized loads, several in flight
// family: shuffles and atomics
// launch: reduce<<<min(ceil(n * sizeof(T) / (B * 128)), blocks), B, 32 * sizeof(T)>>>(in, out, partials, drawn, n)
// blocks: multiples of 32, 32 to 1024
// block: 512
// parameter: blocks = 264, 1 to 65536: most blocks of the grid
// arg: partials = zeros:2 * G
// arg: drawn = zeros:1
// finish: last-block
// expect: sum
// result: Thread 0 of block 0, in a register.
// lesson: The fastest reduction here: a reduction does one combine for each element it loads, so bandwidth is all
//   there is to win. Each thread loads 16 bytes at once and has eight such loads in flight before it combines what they
//   brought, so that memory never waits for arithmetic. A small input is spread over many blocks; a large one is a
//   queue of tiles, from which a block draws its next while its loads are in flight, so that no block ends long before
//   the others. Then each warp reduces its lanes, with shuffles or, where one block has all of the 32-bit integers,
//   with one instruction, and the warps meet in shared memory. Each block writes its partial and a flag as one word,
//   which needs neither fence nor atomic; the first block waits for these words and combines them: a single launch.
#include "flagged.cuh"
#include "warp_reduce.cuh"

constexpr unsigned V = Vector::size;
constexpr unsigned loads = 8; // of a thread in flight

__device__ __forceinline__ Vector load_vector(const T* in, unsigned i) {
    Vector v = reinterpret_cast<const Vector*>(in)[i];
    for (unsigned k = 0; k < V; ++k)
        v[k] = map(v[k]);
    return v;
}

__device__ __forceinline__ T reduce_vector(const Vector& v) {
    T sum = v[0];
    for (unsigned k = 1; k < V; ++k)
        sum = op(sum, v[k]);
    return sum;
}

// By one instruction where there is one: of 32-bit integers, from compute capability 8.0 on.
template <class U> __device__ __forceinline__ U reduce_lanes(U v) {
#if __CUDA_ARCH__ >= 800 && (REDUCTION_OPERATOR == 0 || REDUCTION_OPERATOR == 5)
    if constexpr (is_integer && sizeof(U) == 4)
        return __reduce_add_sync(0xFFFFFFFF, v); // step: lanes
#endif
    return warp_reduce(v);
}

// What a single block can load at once, at most four vectors a thread: the fewer instructions, the sooner it is done.
__device__ __forceinline__ T reduce_few(const T* in, unsigned n) {
    const unsigned tid = threadIdx.x, B = blockDim.x, vectors = n / V;
    Vector v[4];
    for (unsigned u = 0; u < 4; ++u)
        if (u * B + tid < vectors)
            v[u] = load_vector(in, u * B + tid);
    const unsigned rest = vectors * V + tid; // too few for a vector
    T sum = rest < n ? map(in[rest]) : identity;
    for (unsigned u = 0; u < 4; ++u)
        if (u * B + tid < vectors)
            sum = op(sum, reduce_vector(v[u]));
    return sum;
}

// Tiles of eight vectors a thread. Where each block has one, a thread's loads are a grid's width apart; else a block's, and
// a block draws its next tile while its loads are under way. `drawn` is 0 when the grid begins.
__device__ __forceinline__ T reduce_tiles(const T* in, unsigned n, unsigned* drawn) {
    __shared__ unsigned next[2]; // in turns, so that one barrier does
    const unsigned tid = threadIdx.x, B = blockDim.x, vectors = n / V;
    const unsigned tiles = (vectors + loads * B - 1) / (loads * B);
    const bool one_each = tiles <= gridDim.x;
    const unsigned stride = one_each ? gridDim.x * B : B;
    unsigned tile = blockIdx.x, turn = 0;
    T sum = identity;
    do {
        const unsigned first = (one_each ? blockIdx.x * B : tile * (loads * B)) + tid;
        unsigned asked = 0; // by thread 0
        if (!one_each && tid == 0)
            asked = draw(drawn, tiles);
        Vector v[loads];
        if (first - tid + (loads - 1) * stride + B <= vectors) { // all of them
            for (unsigned u = 0; u < loads; ++u)
                v[u] = load_vector(in, first + u * stride);
            for (unsigned width = loads / 2; width > 0; width /= 2)
                for (unsigned u = 0; u < width; ++u)
                    for (unsigned k = 0; k < V; ++k)
                        v[u][k] = op(v[u][k], v[u + width][k]);
            sum = op(sum, reduce_vector(v[0]));
        } else {
            for (unsigned u = 0; u < loads; ++u)
                if (first + u * stride < vectors)
                    v[u] = load_vector(in, first + u * stride);
            for (unsigned u = 0; u < loads; ++u)
                if (first + u * stride < vectors)
                    sum = op(sum, reduce_vector(v[u]));
        }
        if (one_each)
            break;
        if (tid == 0)
            next[turn] = gridDim.x + asked;
        __syncthreads();
        tile = next[turn];
        turn ^= 1;
    } while (tile < tiles);

    const unsigned rest = vectors * V + tid; // too few for a vector
    if (blockIdx.x == 0 && rest < n)
        sum = op(sum, map(in[rest]));
    return sum;
}

// `partials`: a word a block, all 0 when the grid begins.
__global__ void reduce(const T* in, T* out, Flagged* partials, unsigned* drawn, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    if (gridDim.x == 1 && n <= 4 * V * blockDim.x) {
        const T total = block_reduce<reduce_lanes<T>>(reduce_few(in, n), sdata);
        if (tid == 0)
            out[0] = total;
        return;
    }
    const T partial = block_reduce(reduce_tiles(in, n, drawn), sdata);
    if (gridDim.x == 1) {
        if (tid == 0)
            out[0] = partial;
        return;
    }
    if (tid == 0)
        // step: publish: Every block publishes its partial result and the flag that says so as one word.
        publish(partials + blockIdx.x, partial, T(1));
    if (blockIdx.x != 0)
        return;

    T total = identity; // the first block waits for the others
    if (tid < gridDim.x)
        // step: partials: The first block waits for the others and loads their partial results.
        total = wait_for(partials + tid).x;
    for (unsigned i = tid + blockDim.x; i < gridDim.x; i += blockDim.x)
        total = op(total, wait_for(partials + i).x);
    __syncthreads(); // sdata is used again
    total = block_reduce(total, sdata);
    if (tid == 0)
        out[0] = total; // step: total: The first block stores the total.
}
