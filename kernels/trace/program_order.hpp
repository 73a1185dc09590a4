// The order in which a warp makes its requests, from the order in which each of its lanes does.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <vector>

namespace warptree {

struct KeptRequest {
    Request request;    // first_index: into the lists of one block
    std::uint32_t path; // requests of lanes that go together have the same
};

// The requests of one block by step and warp, and of a warp in a step so that each lane's come as the lane made them.
// Where that leaves a choice the path goes on that was begun, and else that of the lowest lane. `sequences`: as the
// block's indices, one for each lane of a request: how many accesses the lane had made before.
std::vector<const KeptRequest*> program_order(const std::vector<KeptRequest>& requests,
                                              const std::vector<std::uint32_t>& sequences);

} // namespace warptree
