// title: The k largest, by k tournaments
// family: applied reductions
// launch: top_k<<<1, B, B * (sizeof(T) + sizeof(unsigned))>>>(in, out, n, k)
// blocks: powers of two, 1 to 1024
// block: 64
// n: 64
// parameter: k = 4, 1 to 64: how many
// op: sum
// arg: in = random
// outputs: min(k, n)
// expect: top-k
// result: Thread 0 after each tournament, in word 0 of value.
// lesson: argmax k times, and who has won plays no more. Every element is read k times, which pays for a small k; for a
//   larger one libraries sort the digits, or merge short sorted lists as they go up the tree.
#include "reduction.cuh"

constexpr T lowest = std::numeric_limits<T>::lowest();

__global__ void top_k(const T* in, T* out, unsigned n, unsigned k) {
    extern __shared__ char shared[];
    T* const value = reinterpret_cast<T*>(shared);
    unsigned* const index = reinterpret_cast<unsigned*>(value + blockDim.x);
    __shared__ unsigned winners[64]; // their places
    const unsigned tid = threadIdx.x;
    for (unsigned round = 0; round < min(k, n); ++round) {
        T best = lowest;
        unsigned place = n; // nobody
        for (unsigned i = tid; i < n; i += blockDim.x) {
            bool plays = true;
            for (unsigned w = 0; w < round; ++w)
                plays &= winners[w] != i;
            if (plays && (place == n || in[i] > best)) {
                best = in[i];
                place = i;
            }
        }
        value[tid] = best;
        index[tid] = place;
        __syncthreads();

        for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
            if (tid < s && value[tid + s] > value[tid]) {
                value[tid] = value[tid + s];
                index[tid] = index[tid + s];
            }
            __syncthreads();
        }

        if (tid == 0) {
            out[round] = value[0];
            winners[round] = index[0];
        }
        __syncthreads(); // before the next round
    }
}
