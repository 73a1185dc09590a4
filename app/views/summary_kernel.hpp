// Sentences for kernel files that differ from those for strategies: arrays have names, and there may be no expected
// result.
#pragma once

#include "app/views/views.hpp"

#include <string>

namespace warptree::scene {

// For a step that stores: "4 of 1,024 threads store to out: 4 sectors of 32 bytes.", "64 atomic operations on bins, …"
std::string kernel_store_sentence(const Launch& launch, std::uint32_t step);

// The result and whether it is correct; without an expected result, the first values of the first output array and what
// they equal.
Fact kernel_result(const Trace& trace);

// "B = 32 × 8".
std::string block_text(const Launch& launch);

} // namespace warptree::scene
