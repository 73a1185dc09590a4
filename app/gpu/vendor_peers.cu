#include "app/gpu/vendor_launch.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda_runtime.h>

namespace warptree::gpu {

namespace {
template <class T> cudaError_t launch(const VendorCall& c, void* scratch, std::size_t& bytes, cudaStream_t stream) {
    const auto* in = reinterpret_cast<const T*>(c.in);
    auto* out = reinterpret_cast<T*>(c.out);
    const auto n = static_cast<std::uint32_t>(c.n);
    if (c.scan) {
        return c.exclusive ? cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, n, stream)
                           : cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, n, stream);
    }
    switch (c.op) {
    case Operator::min: return cub::DeviceReduce::Min(scratch, bytes, in, out, n, stream);
    case Operator::max: return cub::DeviceReduce::Max(scratch, bytes, in, out, n, stream);
    default: return cub::DeviceReduce::Sum(scratch, bytes, in, out, n, stream);
    }
}
} // namespace

const char* launch_vendor(const VendorCall& c, void* scratch, std::size_t& bytes, api::Stream queue) {
    const auto stream = reinterpret_cast<cudaStream_t>(queue);
    cudaError_t status = cudaErrorInvalidValue;
    switch (c.type) {
    case ElementType::i32: status = launch<std::int32_t>(c, scratch, bytes, stream); break;
    case ElementType::f32: status = launch<float>(c, scratch, bytes, stream); break;
    case ElementType::f64: status = launch<double>(c, scratch, bytes, stream); break;
    default: break;
    }
    return status == cudaSuccess ? nullptr : cudaGetErrorString(status);
}

} // namespace warptree::gpu
