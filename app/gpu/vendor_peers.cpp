#include "app/gpu/vendor_peers.hpp"

#include "app/gpu/device.hpp"
#include "app/gpu/vendor_launch.hpp"

#include <fmt/format.h>

namespace warptree::gpu {

#if !WARPTREE_HAS_CUDA
const char* launch_vendor(const VendorCall&, void*, std::size_t&, api::Stream) { return "it was not built"; }
#endif

namespace {
void run(const VendorCall& call, void* scratch, std::size_t& bytes) {
    if (const char* const problem = launch_vendor(call, scratch, bytes, stream())) {
        throw DeviceError(
            fmt::format("the vendor library's {} failed on the GPU: {}", call.scan ? "scan" : "reduction", problem));
    }
}
} // namespace

std::string vendor_refusal(const VendorCall& call) {
    const char* const name = call.scan ? "cub-scan" : "cub-reduce";
    if (!WARPTREE_HAS_CUDA) {
        return fmt::format("{} is compiled by nvcc, which this program was built without", name);
    }
    const bool compiled =
        call.type == ElementType::i32 || call.type == ElementType::f32 || call.type == ElementType::f64;
    return compiled ? "" : fmt::format("{} is compiled for i32, f32 and f64", name);
}

std::size_t vendor_scratch(const VendorCall& call) {
    std::size_t bytes = 0;
    run(call, nullptr, bytes);
    return bytes;
}

void run_vendor(const VendorCall& call, api::Address scratch, std::size_t bytes) {
    run(call, reinterpret_cast<void*>(scratch), bytes);
}

} // namespace warptree::gpu
