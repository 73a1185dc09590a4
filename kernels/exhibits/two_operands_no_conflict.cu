// title: Two operands in one bank: no conflict
// family: what goes wrong
// launch: reduce<<<ceil(n / 64), B, 64 * sizeof(T)>>>(in, out, n)
// blocks: 32
// block: 32
// expect: sum
// result: Lane 0 of the warp, in a register.
// lesson: At s = 32 lane t combines sdata[t] with sdata[t + 32], and both words lie in bank t mod 32. That is no bank
//   conflict: one lane's two operands are two instructions, so two requests, and each of them asks every bank for one
//   word. A conflict needs lanes of the same request that ask one bank for different words. The rest of the sum goes
//   by shuffles.
// hazard: Nothing goes wrong here; it is often misread as a two-way bank conflict.
// on a GPU: Two loads of one wavefront each.
#include "reduce/warp_reduce.cuh"

__global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned lane = threadIdx.x;
    const unsigned i = blockIdx.x * 64 + lane;
    sdata[lane] = i < n ? in[i] : identity;
    sdata[lane + 32] = i + 32 < n ? in[i + 32] : identity;
    __syncthreads();

    // step: pairs: Each lane adds two words that lie in the same bank.
    const T sum = op(sdata[lane], sdata[lane + 32]); // one bank twice, one request after the other
    const T v = warp_reduce(sum);
    if (lane == 0)
        out[blockIdx.x] = v;
}
