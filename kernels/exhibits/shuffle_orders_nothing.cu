// title: A shuffle taken for __syncwarp
// family: what goes wrong
// launch: reduce<<<ceil(n / 64), B, 32 * sizeof(T)>>>(in, out, n)
// blocks: 32
// block: 32
// expect: sum
// goes wrong: race
// result: Lane 0 of the warp, in registers.
// lesson: Each lane has two sums. One goes from lane to lane by shuffles, the other through shared memory: a lane
//   stores it, all take part in the shuffle, and then the lane reads what its partner has stored. At the shuffle the
//   lanes meet, so the interpreter gives the right sum in every order. But a shuffle only moves registers: nothing
//   says that the partner's store is seen by then, nor that a lane has read before its partner stores again. Each
//   needs a __syncwarp.
// hazard: Between the store of one lane and the read of another stands a shuffle, which orders no memory, and no
//   __syncwarp.
// on a GPU: The lanes meet at the shuffle, so the sum may well always be right. CUDA promises neither that the store
//   is seen nor that the read is over: __shfl_sync states no memory ordering, and the compiler may move the accesses.
#include "reduction.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned lane = threadIdx.x;
    const unsigned i = blockIdx.x * 64 + lane;
    T by_shuffle = i < n ? in[i] : identity;
    T by_memory = i + 32 < n ? in[i + 32] : identity;
    for (unsigned s = 16; s > 0; s /= 2) {
        sdata[lane] = by_memory;
        by_shuffle = op(by_shuffle, __shfl_down_sync(0xFFFFFFFF, by_shuffle, s)); // no __syncwarp
        if (lane < s)
            by_memory = op(by_memory, sdata[lane + s]);
    }
    by_shuffle = op(by_shuffle, by_memory);
    if (lane == 0)
        out[blockIdx.x] = by_shuffle;
}
