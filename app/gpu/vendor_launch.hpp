// Between vendor_peers.cpp and what nvcc compiles.
#pragma once

#include "app/gpu/vendor_peers.hpp"

namespace warptree::gpu {

// Without scratch memory it only says how many bytes it needs. What went wrong; nullptr: nothing did.
const char* launch_vendor(const VendorCall& call, void* scratch, std::size_t& bytes, api::Stream stream);

} // namespace warptree::gpu
