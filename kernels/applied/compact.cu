// title: Keep what is not zero, in order
// family: applied reductions
// launch: compact<<<1, B>>>(in, out, n)
// blocks: multiples of 32, 32 to 1024
// block: 128
// op: sum
// arg: in = random
// outputs: n
// expect: compact
// result: The kept elements side by side at the beginning of out.
// lesson: Where an element goes is the number of kept ones before it: a scan of flags. Within a warp a ballot has all 32
//   flags in one word, and the set bits below a lane's own count those before it, without a tree. The warps' counts are
//   scanned by the first warp, and a block that goes on to its next tile carries the count so far.
#include "reduction.cuh"

__global__ void compact(const T* in, T* out, unsigned n) {
    __shared__ unsigned before[32]; // kept by the warps below
    __shared__ unsigned kept;       // by all tiles so far
    const unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32, warps = blockDim.x / 32;
    if (tid == 0)
        kept = 0;
    __syncthreads();

    for (unsigned tile = 0; tile < n; tile += blockDim.x) {
        const T x = tile + tid < n ? in[tile + tid] : T(0);
        const unsigned flags = __ballot_sync(0xFFFFFFFF, x != T(0));
        const unsigned below = __popc(flags & ((1u << lane) - 1)); // kept by the lanes below
        if (lane == 0)
            before[warp] = __popc(flags);
        __syncthreads();

        if (warp == 0) {
            const unsigned own = lane < warps ? before[lane] : 0; // step: warps
            unsigned up_to = own;
            for (unsigned offset = 1; offset < 32; offset *= 2) {
                const unsigned left = __shfl_up_sync(0xFFFFFFFF, up_to, offset);
                up_to += lane >= offset ? left : 0;
            }
            const unsigned so_far = kept;
            __syncwarp();
            if (lane < warps)
                before[lane] = so_far + up_to - own;
            if (lane == 31)
                kept = so_far + up_to;
        }
        __syncthreads();

        if (x != T(0))
            out[before[warp] + below] = x; // step: keep
        __syncthreads(); // before the next tile's counts
    }
}
