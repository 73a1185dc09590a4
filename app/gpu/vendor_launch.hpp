// The interface between vendor_peers.cpp and vendor_peers.cu, which nvcc compiles.
#pragma once

#include "app/gpu/vendor_peers.hpp"

namespace warptree::gpu {

// With a null `scratch`, only sets `bytes` to the size it needs. Returns the error; nullptr: none.
const char* launch_vendor(const VendorCall& call, void* scratch, std::size_t& bytes, api::Stream stream);

} // namespace warptree::gpu
