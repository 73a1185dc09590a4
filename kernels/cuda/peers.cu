#include "kernels/cuda/peers.hpp"

#include "app/measure/timing/peers.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda_runtime.h>

namespace warptree::cuda {

namespace {
template <class T>
cudaError_t reduce(const PeerCall& c, const T* in, T* out, std::uint32_t n, void* scratch, std::size_t& bytes) {
    switch (c.op) {
    case Operator::min: return cub::DeviceReduce::Min(scratch, bytes, in, out, n);
    case Operator::max: return cub::DeviceReduce::Max(scratch, bytes, in, out, n);
    default: return cub::DeviceReduce::Sum(scratch, bytes, in, out, n);
    }
}

template <class T> cudaError_t vendor(const PeerCall& c, void* scratch, std::size_t& bytes) {
    const auto* in = static_cast<const T*>(c.in);
    auto* out = static_cast<T*>(c.out);
    const auto n = static_cast<std::uint32_t>(c.n);
    if (c.id == timing::kVendorReduce) {
        return reduce(c, in, out, n, scratch, bytes);
    }
    return c.exclusive ? cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, n)
                       : cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, n);
}

cudaError_t vendor(const PeerCall& c, void* scratch, std::size_t& bytes) {
    switch (c.type) {
    case ElementType::i32: return vendor<std::int32_t>(c, scratch, bytes);
    case ElementType::f32: return vendor<float>(c, scratch, bytes);
    case ElementType::f64: return vendor<double>(c, scratch, bytes);
    default: return cudaErrorInvalidValue;
    }
}

bool is_vendor(std::string_view id) { return id == timing::kVendorReduce || id == timing::kVendorScan; }

constexpr unsigned kReadThreads = 512, kReadInFlight = 8, kReadBlocksOnEach = 4;

// Adds up all 32-bit words; eight 16-byte loads of a thread are on their way at a time.
__global__ void __launch_bounds__(kReadThreads) read_sweep(const unsigned* words, std::uint64_t count, unsigned* out) {
    const auto* quads = reinterpret_cast<const uint4*>(words);
    const std::uint64_t whole = count / 4;
    const std::uint64_t threads = std::uint64_t{gridDim.x} * kReadThreads;
    const std::uint64_t thread = std::uint64_t{blockIdx.x} * kReadThreads + threadIdx.x;
    unsigned sum = thread < count % 4 ? words[4 * whole + thread] : 0;
    std::uint64_t i = thread;
    for (; i + (kReadInFlight - 1) * threads < whole; i += kReadInFlight * threads) {
        uint4 q[kReadInFlight];
#pragma unroll
        for (unsigned k = 0; k < kReadInFlight; ++k) {
            q[k] = __ldg(quads + i + k * threads);
        }
#pragma unroll
        for (unsigned k = 0; k < kReadInFlight; ++k) {
            sum += q[k].x + q[k].y + q[k].z + q[k].w;
        }
    }
    for (; i < whole; i += threads) {
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
} // namespace

bool has_peer(const PeerCall& call) {
    const bool compiled =
        call.type == ElementType::i32 || call.type == ElementType::f32 || call.type == ElementType::f64;
    return !is_vendor(call.id) || compiled;
}

int peer_scratch(const PeerCall& call, std::size_t& bytes) {
    bytes = 0;
    return is_vendor(call.id) ? vendor(call, nullptr, bytes) : cudaSuccess;
}

int reset_peer(const PeerCall& call) {
    return call.id == timing::kRead ? cudaMemsetAsync(call.out, 0, sizeof(unsigned)) : cudaSuccess;
}

int run_peer(const PeerCall& call, void* scratch, std::size_t bytes) {
    const std::uint64_t array = call.n * warptree::bytes(call.type);
    if (call.id == timing::kCopy) {
        return cudaMemcpyAsync(call.out, call.in, array, cudaMemcpyDeviceToDevice);
    }
    if (call.id == timing::kRead) {
        const std::uint64_t words = array / 4;
        const std::uint64_t useful = (words / 4 + kReadThreads - 1) / kReadThreads;
        const std::uint64_t most = std::uint64_t{call.multiprocessors} * kReadBlocksOnEach;
        const auto grid = static_cast<unsigned>(useful == 0 ? 1 : useful < most ? useful : most);
        read_sweep<<<grid, kReadThreads>>>(static_cast<const unsigned*>(call.in), words,
                                           static_cast<unsigned*>(call.out));
        return cudaGetLastError();
    }
    return vendor(call, scratch, bytes);
}

} // namespace warptree::cuda
