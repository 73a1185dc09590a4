// What a kernel logs while it runs on a GPU, thread by thread, in the order of its program: what the machine cannot know by
// itself (values that were loaded, what an atomic found) and what it holds against its own (what was stored and where, what
// lanes told each other).
#pragma once

#include <cstdint>

namespace warptree::compile {

enum class LogKind : std::uint8_t { none, load, store, atomic, exchange, timer };

// `kind` has the bytes of the value from bit 8 on. Address: of memory as the GPU has it; 2^48 and an offset, of shared
// memory; 1: of none. Local memory is not logged, nor are copies of memory by one instruction.
struct LoggedEvent {
    std::uint64_t address = 0, value = 0, kind = 0;
    LogKind what() const { return static_cast<LogKind>(kind & 0xFF); }
    std::uint32_t bytes() const { return static_cast<std::uint32_t>(kind >> 8 & 0xFF); }
};

// The variable of the module that says where to; see device_log_text.hpp.
inline constexpr const char* kLogVariable = "warptree_log";
struct LogPlace {
    std::uint64_t events = 0, counts = 0, threads = 0, room = 0;
};

} // namespace warptree::compile
