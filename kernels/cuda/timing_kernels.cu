#include "kernels/cuda/timing_kernels.hpp"

#include "app/base/operators.hpp"

namespace warptree::cuda {

namespace {
using timing::Data;

constexpr unsigned kThreads = 256;

unsigned blocks_for(std::uint64_t threads) {
    constexpr std::uint64_t kMost = 1U << 16; // grid-stride beyond
    const std::uint64_t blocks = (threads + kThreads - 1) / kThreads;
    return static_cast<unsigned>(blocks < 1 ? 1 : blocks < kMost ? blocks : kMost);
}

#define WARPTREE_EACH(i, n)                                                                                            \
    std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x,                                            \
                  step = std::uint64_t{gridDim.x} * blockDim.x;                                                        \
    i < (n);                                                                                                           \
    i += step

template <class T> __global__ void fill_elements(T* out, std::uint64_t n, std::uint64_t seed, Data data) {
    for (WARPTREE_EACH(i, n)) {
        out[i] = timing::element<T>(data, seed, i);
    }
}

__global__ void overwrite_quads(uint4* out, std::uint64_t n, unsigned value) {
    for (WARPTREE_EACH(i, n)) {
        out[i] = {value, value, value, value};
    }
}

// Each element of a scan against the one before it: right everywhere means right as a whole, as sums are exact. `tile`
// elements are scanned together.
template <class T>
__global__ void compare_scan(const T* out, std::uint64_t n, std::uint64_t tile, bool exclusive, std::uint64_t seed,
                             Data data, Wrong* wrong) {
    for (WARPTREE_EACH(i, n)) {
        const bool first = i % tile == 0;
        T want;
        if (exclusive) {
            want = first ? T(0) : Sum::apply(out[i - 1], timing::element<T>(data, seed, i - 1));
        } else {
            const T own = timing::element<T>(data, seed, i);
            want = first ? own : Sum::apply(out[i - 1], own);
        }
        if (!(out[i] == want)) {
            atomicAdd(&wrong->count, 1ULL);
            atomicMin(&wrong->first, static_cast<unsigned long long>(i));
        }
    }
}

template <class T>
__global__ void compare_copy(const T* out, std::uint64_t n, std::uint64_t seed, Data data, Wrong* wrong) {
    for (WARPTREE_EACH(i, n)) {
        if (!(out[i] == timing::element<T>(data, seed, i))) {
            atomicAdd(&wrong->count, 1ULL);
            atomicMin(&wrong->first, static_cast<unsigned long long>(i));
        }
    }
}

// A thread a part of the scan.
template <class T>
__global__ void compare_rounded(const T* out, std::uint64_t n, std::uint64_t part, const timing::RunningSum* before,
                                bool exclusive, std::uint64_t seed, timing::Data data, timing::ScanTolerance tolerance,
                                Wrong* wrong) {
    const std::uint64_t parts = (n + part - 1) / part;
    const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
    for (std::uint64_t p = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; p < parts; p += step) {
        const std::uint64_t first = p * part, end = first + part < n ? first + part : n;
        const timing::WrongElements found = timing::wrong_in_part(out, first, end, before == nullptr ? part : n,
                                                                  before == nullptr ? timing::RunningSum{} : before[p],
                                                                  exclusive, seed, data, tolerance);
        if (found.count != 0) {
            atomicAdd(&wrong->count, static_cast<unsigned long long>(found.count));
            atomicMin(&wrong->first, static_cast<unsigned long long>(found.first));
        }
    }
}

__global__ void store_bits(void* out, std::uint64_t bits, unsigned size) {
    if (size == 8) {
        *static_cast<std::uint64_t*>(out) = bits;
    } else {
        *static_cast<std::uint32_t*>(out) = static_cast<std::uint32_t>(bits);
    }
}

__global__ void nothing() {}

__device__ std::uint64_t nanoseconds() {
    std::uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

constexpr std::uint64_t kLongestHold = 2'000'000'000; // nanoseconds: then something is wrong, and it lets go

__global__ void wait_at(volatile Gate* gate) {
    const std::uint64_t begin = nanoseconds();
    while (gate->open == 0) {
        if (nanoseconds() - begin > kLongestHold) {
            gate->late = 1;
            return;
        }
    }
}
} // namespace

int fill(void* out, const Contents& what) {
    visit_element(what.type, [&](auto t) {
        using T = decltype(t);
        fill_elements<T><<<blocks_for(what.n), kThreads>>>(static_cast<T*>(out), what.n, what.seed, what.data);
    });
    return cudaGetLastError();
}

int overwrite(void* out, std::uint64_t bytes, unsigned value) {
    const std::uint64_t quads = bytes / sizeof(uint4);
    overwrite_quads<<<blocks_for(quads), kThreads>>>(static_cast<uint4*>(out), quads, value);
    return cudaGetLastError();
}

int check_scan(const void* out, const Contents& in, std::uint64_t tile, bool exclusive, Wrong* wrong) {
    visit_element(in.type, [&](auto t) {
        using T = decltype(t);
        compare_scan<T><<<blocks_for(in.n), kThreads>>>(static_cast<const T*>(out), in.n, tile, exclusive, in.seed,
                                                        in.data, wrong);
    });
    return cudaGetLastError();
}

int check_rounded_scan(const void* out, const Contents& in, std::uint64_t part, const timing::RunningSum* before,
                       bool exclusive, const timing::ScanTolerance& tolerance, Wrong* wrong) {
    const unsigned blocks = blocks_for((in.n + part - 1) / part);
    if (in.type == ElementType::f32) {
        compare_rounded<<<blocks, kThreads>>>(static_cast<const float*>(out), in.n, part, before, exclusive, in.seed,
                                              in.data, tolerance, wrong);
    } else if (in.type == ElementType::f64) {
        compare_rounded<<<blocks, kThreads>>>(static_cast<const double*>(out), in.n, part, before, exclusive, in.seed,
                                              in.data, tolerance, wrong);
    }
    return cudaGetLastError();
}

int check_copy(const void* out, const Contents& in, Wrong* wrong) {
    visit_element(in.type, [&](auto t) {
        using T = decltype(t);
        compare_copy<T><<<blocks_for(in.n), kThreads>>>(static_cast<const T*>(out), in.n, in.seed, in.data, wrong);
    });
    return cudaGetLastError();
}

int put_bits(void* out, std::uint64_t bits, unsigned size) {
    store_bits<<<1, 1>>>(out, bits, size);
    return cudaGetLastError();
}

int launch_nothing(std::uint32_t grid, std::uint32_t block) {
    nothing<<<grid, block>>>();
    return cudaGetLastError();
}

int hold(Gate* gate) {
    wait_at<<<1, 1>>>(gate);
    return cudaGetLastError();
}

} // namespace warptree::cuda
