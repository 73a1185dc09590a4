// Sentences for kernel files that differ from those for strategies: arrays have names, and there may be no expected
// result.
#pragma once

#include "app/views/views.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace warptree::scene {

// For a step that stores: "4 of 1,024 threads store to out: 4 sectors of 32 bytes.", "64 atomic operations on bins, …"
std::string kernel_store_sentence(const Launch& launch, std::uint32_t step);

// The result and whether it is correct; without an expected result, the first values of the first output array and what
// they equal.
Fact kernel_result(const Trace& trace);

// The first elements of the first output as they are after the step, "·" for those not stored yet; nullopt: the trace does
// not tell, or it is a program's, whose outputs are the host's.
std::optional<Fact> output_after(const Trace& trace, std::uint32_t launch, std::uint32_t step);

// "2 311 313 …", of what the kernel stored to an array.
std::string first_values(const KernelOutput& output);

// " Of 1,024 elements that are loaded 512 are in nothing that is stored: in[1], in[3] and others." of the traced blocks; empty: all are, or
// none is, or nothing combines.
std::string left_out(const Launch& launch);

// "B = 32 × 8".
std::string block_text(const Launch& launch);
// "32,8", as the options take a grid or a block. all: threads or blocks, of one dimension where the extents are all 1.
std::string option_text(const std::array<std::uint32_t, 3>& extents, std::uint32_t all);

} // namespace warptree::scene
