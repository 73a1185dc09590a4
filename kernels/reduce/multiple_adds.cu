// title: Multiple adds a thread
// family: shared memory
// launch: reduce<B><<<min(ceil(n / (2 * B)), 64), B, (B > 32 ? B : 2 * B) * sizeof(T)>>>(in, out, n)
// blocks: powers of two, 1 to 1024
// block: 256
// expect: sum
// result: Thread 0, in sdata[0].
// lesson: Algorithm cascading: a fixed grid of at most 64 blocks strides over the whole input, each thread adding
//   pairs sequentially, and only then comes the tree of unroll-complete. n / log n threads that each do log n work
//   make the whole cost proportional to n (Brent), the stride of a whole grid keeps every load coalesced, and the tree
//   is paid once a block instead of once per 2B elements.
#include "block_tree.cuh"

template <unsigned B> __global__ void reduce(const T* in, T* out, unsigned n) {
    extern __shared__ T sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned grid_stride = gridDim.x * (2 * B);
    unsigned i = blockIdx.x * (2 * B) + tid;
    T first = i < n ? in[i] : identity;
    T second = i + B < n ? in[i + B] : identity;
    T sum = op(first, second);
    for (i += grid_stride; i < n; i += grid_stride) {
        first = in[i];
        second = i + B < n ? in[i + B] : identity;
        sum = op(sum, op(first, second));
    }
    sdata[tid] = sum;

    block_tree<B>(sdata, tid);

    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}
