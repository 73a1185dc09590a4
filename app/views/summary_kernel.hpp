// What is said of kernels of files in other words than of strategies: they have arrays with names, and may answer nothing
// that anyone expects.
#pragma once

#include "app/views/views.hpp"

#include <string>

namespace warptree::scene {

// "Thread 0 of each block stores to out.", "64 atomic operations on bins." Of a step that stores.
std::string kernel_store_sentence(const Launch& launch, std::uint32_t step);

// What came out: of the first array that was stored to, its first values, and what they are held against or equal.
Fact kernel_result(const Trace& trace);

// "B = 32 × 8".
std::string block_text(const Launch& launch);

} // namespace warptree::scene
