// The timing harness's own kernels: make inputs, check results, read a whole input. ELEMENT: the element type.
// data.hpp and running_sum.hpp are put before it: see timing_kernels.cpp.
using T = ELEMENT;
using warptree::timing::Data;
using Count = unsigned long long;

// The number of wrong elements, and the lowest index of one; initially 0 and ~0.
struct Wrong {
    Count count, first;
};

__device__ inline Count thread() { return Count(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline Count threads() { return Count(gridDim.x) * blockDim.x; }
__device__ inline void note(Wrong* wrong, Count count, Count first) {
    atomicAdd(&wrong->count, count);
    atomicMin(&wrong->first, first);
}
__device__ inline T element(Count seed, unsigned data, Count i) {
    return warptree::timing::element<T>(Data(data), seed, i);
}

extern "C" __global__ void fill(T* out, Count n, Count seed, unsigned data) {
    for (Count i = thread(); i < n; i += threads()) {
        out[i] = element(seed, data, i);
    }
}

extern "C" __global__ void compare_copy(const T* out, Count n, Count seed, unsigned data, Wrong* wrong) {
    for (Count i = thread(); i < n; i += threads()) {
        if (!(out[i] == element(seed, data, i))) {
            note(wrong, 1, i);
        }
    }
}

// Checks each element of a scan against the one before it: if all agree the scan is right, as sums are exact. `tile`
// elements are scanned together.
extern "C" __global__ void compare_scan(const T* out, Count n, Count seed, unsigned data, Count tile,
                                        unsigned exclusive, Wrong* wrong) {
    for (Count i = thread(); i < n; i += threads()) {
        const bool first = i % tile == 0;
        T want = first ? T(0) : out[i - 1];
        if (!(exclusive && first)) {
            want = want + element(seed, data, exclusive ? i - 1 : i);
        }
        if (!(out[i] == want)) {
            note(wrong, 1, i);
        }
    }
}

// Of floats, within what rounding explains; a thread walks `part` elements. `before`: the sum before each part, of a scan
// of all n; null: a part is a tile.
extern "C" __global__ void compare_rounded(const T* out, Count n, Count seed, unsigned data, Count part,
                                           const warptree::timing::RunningSum* before, unsigned exclusive,
                                           double of_magnitude, double of_largest, Wrong* wrong) {
    for (Count p = thread(); p < (n + part - 1) / part; p += threads()) {
        const Count first = p * part, end = first + part < n ? first + part : n;
        const warptree::timing::WrongElements found = warptree::timing::wrong_in_part(
            out, first, end, before == nullptr ? part : n,
            before == nullptr ? warptree::timing::RunningSum{} : before[p], exclusive != 0, seed, Data(data),
            warptree::timing::ScanTolerance{of_magnitude, of_largest});
        if (found.count != 0) {
            note(wrong, found.count, found.first);
        }
    }
}

// Adds up all 32-bit words; each thread has eight 16-byte loads in flight.
constexpr unsigned kReadThreads = 512, kReadInFlight = 8;
extern "C" __global__ void __launch_bounds__(kReadThreads) read_all(const unsigned* words, Count count, unsigned* out) {
    const uint4* quads = reinterpret_cast<const uint4*>(words);
    const Count whole = count / 4, step = Count(gridDim.x) * kReadThreads;
    unsigned sum = thread() < count % 4 ? words[4 * whole + thread()] : 0;
    Count i = thread();
    for (; i + (kReadInFlight - 1) * step < whole; i += kReadInFlight * step) {
        uint4 q[kReadInFlight];
#pragma unroll
        for (unsigned k = 0; k < kReadInFlight; ++k) {
            q[k] = __ldg(quads + i + k * step);
        }
#pragma unroll
        for (unsigned k = 0; k < kReadInFlight; ++k) {
            sum += q[k].x + q[k].y + q[k].z + q[k].w;
        }
    }
    for (; i < whole; i += step) {
        const uint4 q = __ldg(quads + i);
        sum += q.x + q.y + q.z + q.w;
    }
    for (unsigned delta = 16; delta > 0; delta /= 2) {
        sum += __shfl_down_sync(0xFFFFFFFFU, sum, delta);
    }
    __shared__ unsigned of_warps[kReadThreads / 32];
    if (threadIdx.x % 32 == 0) {
        of_warps[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < kReadThreads / 32 ? of_warps[threadIdx.x] : 0;
        for (unsigned delta = 16; delta > 0; delta /= 2) {
            sum += __shfl_down_sync(0xFFFFFFFFU, sum, delta);
        }
        if (threadIdx.x == 0) {
            atomicAdd(out, sum);
        }
    }
}

extern "C" __global__ void nothing() {}
