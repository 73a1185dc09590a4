// How many words the atomics of a launch update: those of the blocks traced in full.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <optional>

namespace warptree::scene {

struct AtomicWords {
    std::uint64_t updates = 0; // one a lane
    std::uint64_t apart = 0;   // what is left of them if each access of a warp first combined those of one word
    std::uint64_t words = 0;   // different ones; counted of a step only
    unsigned most = 0;         // lanes of an access on one word
};
// Of a step, or of all of them.
AtomicWords atomic_words(const Launch& launch, std::optional<std::uint32_t> step = std::nullopt);

} // namespace warptree::scene
