// The reduction and the scan of the vendor library (CUB), the only part of this program that nvcc compiles. A build
// without nvcc has neither.
#pragma once

#include "app/base/element_type.hpp"
#include "app/gpu/driver_api.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace warptree::gpu {

struct VendorCall {
    bool scan = false;      // else a reduction
    bool exclusive = false; // of a scan
    ElementType type = ElementType::i32;
    Operator op = Operator::sum; // of a reduction; scans add
    api::Address in = 0, out = 0;
    std::uint64_t n = 0; // up to 2^31
};

// Why it cannot run this; empty: it can. Compiled for i32, f32 and f64, and for sum, min and max; `op` is not checked.
std::string vendor_refusal(const VendorCall& call);
// Bytes of device memory that it needs as scratch. Throws DeviceError.
std::size_t vendor_scratch(const VendorCall& call);
// Queues it after earlier work. Throws DeviceError.
void run_vendor(const VendorCall& call, api::Address scratch, std::size_t bytes);

} // namespace warptree::gpu
