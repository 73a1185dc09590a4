// title: The largest element and its place
// family: applied reductions
// launch: argmax<<<1, B, B * (sizeof(T) + sizeof(unsigned))>>>(in, out, n)
// blocks: powers of two, 1 to 1024
// block: 256
// op: sum
// arg: in = random
// arg: out = zeros:1
// outputs: 1
// expect: argmax
// result: Thread 0: word 0 of index has the place, word 0 of value the element.
// lesson: A tournament. What goes up the tree is a record, a value and the place it came from, and a match keeps one of
//   two records whole: choosing is a combine like any other, so it may be done in any order. Each thread first plays its
//   own elements, a block apart; then the winners meet in shared memory, at halving strides as in sequential.
#include "reduction.cuh"

__global__ void argmax(const T* in, unsigned* out, unsigned n) {
    extern __shared__ char shared[];
    T* const value = reinterpret_cast<T*>(shared);
    unsigned* const index = reinterpret_cast<unsigned*>(value + blockDim.x);
    const unsigned tid = threadIdx.x;
    if (tid < n) {
        T best = in[tid];
        unsigned place = tid;
        for (unsigned i = tid + blockDim.x; i < n; i += blockDim.x)
            if (in[i] > best) {
                best = in[i];
                place = i;
            }
        value[tid] = best;
        index[tid] = place;
    }
    __syncthreads();

    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s && tid + s < n && value[tid + s] > value[tid]) {
            value[tid] = value[tid + s];
            index[tid] = index[tid + s];
        }
        __syncthreads();
    }

    if (tid == 0)
        out[0] = index[0];
}
