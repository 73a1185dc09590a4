// The kinds of steps and shuffles in a trace.
#pragma once

#include <cstdint>

namespace warptree {

enum class StepKind : std::uint8_t { load, stage, store, other };
inline constexpr unsigned kStepKinds = 4;

// reduce: one instruction that combines all lanes (__reduce_add_sync).
enum class ShuffleKind : std::uint8_t { down, up, exchange_xor, index, reduce };

} // namespace warptree
