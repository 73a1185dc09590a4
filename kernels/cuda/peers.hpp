// What is measured beside the strategies: the vendor's reduction and scan of the toolkit, a copy within device memory, and
// a sweep that only reads. All work is asynchronous on the default stream; results are cudaError_t.
#pragma once

#include "app/base/element_type.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warptree::cuda {

struct PeerCall {
    std::string_view id; // one of timing::kPeers
    ElementType type = ElementType::i32;
    Operator op = Operator::sum;
    bool exclusive = false;
    const void* in = nullptr;
    void* out = nullptr;
    std::uint64_t n = 0; // up to 2^31
    std::uint32_t multiprocessors = 1;
};

// The vendor's are compiled for sum, min and max of i32, f32 and f64, as 32-bit counts of elements; the others take any
// type.
bool has_peer(const PeerCall& call);
// Bytes of device memory that it works in.
int peer_scratch(const PeerCall& call, std::size_t& bytes);
// What must be done before each call and is not its work: the total that a sweep adds to is cleared.
int reset_peer(const PeerCall& call);
int run_peer(const PeerCall& call, void* scratch, std::size_t bytes);

} // namespace warptree::cuda
