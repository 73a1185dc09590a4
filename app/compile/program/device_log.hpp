// What each thread of a kernel logs while it runs on a GPU, in program order: what the machine cannot know by itself
// (loaded values, old values of atomics) and what it compares with its own (what was stored and where, what lanes
// exchanged).
#pragma once

#include <cstdint>

namespace warptree::compile {

enum class LogKind : std::uint8_t { none, load, store, atomic, exchange, timer, computed };

// `kind`: a LogKind in bits 0 to 7, the size of the value in bytes in bits 8 to 15. Address: the GPU's own for global
// memory; 2^48 plus an offset for shared memory, in that of another block of the cluster as shared_address() has it; 1: none.
// Accesses to local memory and copies by a single instruction are not logged.
struct LoggedEvent {
    std::uint64_t address = 0, value = 0, kind = 0;
    LogKind what() const { return static_cast<LogKind>(kind & 0xFF); }
    std::uint32_t bytes() const { return static_cast<std::uint32_t>(kind >> 8 & 0xFF); }
};

// The module's variable with the address of the log; see device_log_text.hpp.
inline constexpr const char* kLogVariable = "warptree_log";
struct LogPlace {
    std::uint64_t events = 0, counts = 0, threads = 0, room = 0;
};

} // namespace warptree::compile
