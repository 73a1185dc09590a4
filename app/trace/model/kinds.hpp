// What a traced kernel on the GPU must know of a trace.
#pragma once

#include <cstdint>

namespace warptree {

enum class StepKind : std::uint8_t { load, stage, store, other };
inline constexpr unsigned kStepKinds = 4;

// reduce: one instruction that combines all lanes (__reduce_add_sync).
enum class ShuffleKind : std::uint8_t { down, up, exchange_xor, index, reduce };

// Where a value goes that leaves its block: an element of the output, the total by an atomic combine, or the total as a
// whole (stored by the block that finishes). told: an element of the output in a word of twice its size, with the flag
// that says it is there.
enum class OutputTo : std::uint8_t { output, atomic_total, total, told };

} // namespace warptree
