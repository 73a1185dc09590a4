// title: Completely unrolled
// family: shared memory
// launch: reduce<B><<<ceil(n / (2 * B)), B, (B > 32 ? B : 2 * B) * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 1 to 1024
// block: 256
// expect: sum
// result: Thread 0, in sdata[0].
// lesson: The tree of unroll-last-warp with the block size as a template parameter: every stage is present or absent
//   at compile time, and no loop, no comparison of strides is left in the machine code. The launch chooses among the
//   instantiations for 1, 2, 4 … 1024 threads with a switch at run time. Next: multiple-adds makes each thread do more
//   before the tree begins.
#include "block_tree.cuh"

template <unsigned B> __global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * (2 * B) + tid;
    const T first = i < n ? in[i] : identity;
    const T second = i + B < n ? in[i + B] : identity;
    sdata[tid] = op(first, second);

    block_tree<B>(sdata, tid);

    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}
