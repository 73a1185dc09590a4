// Sentences for kernel files that differ from those for strategies: arrays have names, and there may be no expected
// result.
#pragma once

#include "app/views/views.hpp"

#include <string>

namespace warptree::scene {

// For a step that stores: "Thread 0 of each block stores to out.", "64 atomic operations on bins."
std::string kernel_store_sentence(const Launch& launch, std::uint32_t step);

// The output: the first values of the first array that was stored to, and what they are compared with or equal.
Fact kernel_result(const Trace& trace);

// "B = 32 × 8".
std::string block_text(const Launch& launch);

} // namespace warptree::scene
