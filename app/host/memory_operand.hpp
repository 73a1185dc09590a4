// The memory operand of an x86-64 instruction: where it is, as its registers are.
#pragma once

#include <cstdint>
#include <optional>

#include <ucontext.h>

namespace warptree::host {

// Of the instruction that the state is at. nullopt: it has none that is told by a ModRM byte, as string instructions.
std::optional<std::uint64_t> memory_operand(const ucontext_t& state);

} // namespace warptree::host
