// What a whole program does, beside its launches: the host's half of a run.
#pragma once

#include "app/trace/model/execution.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warptree {

// Stable: trace files hold the number.
enum class StoryKind : std::uint8_t { allocate, copy, set, launch, wait, print, error, free, exit };
std::string_view name(StoryKind kind); // "allocate", "copy", …

// Where a copy begins and ends.
enum class CopyDirection : std::uint8_t { host_to_host, host_to_device, device_to_host, device_to_device };
std::string_view name(CopyDirection direction); // "host to device", …

struct StoryEvent {
    StoryKind kind = StoryKind::wait;
    SourceLine line = SourceLine::none();
    std::string name;  // the variable that is allocated, set, copied to or freed; the kernel; what is waited for
    std::string other; // the variable copied from
    std::uint64_t bytes = 0;
    CopyDirection direction = CopyDirection::host_to_host;
    std::uint32_t launch = 0xFFFFFFFF; // of Trace::launches; 0xFFFFFFFF: none, or not kept
    std::string text; // what is printed; an error in words; the first values copied back; why it did not end by itself
    friend bool operator==(const StoryEvent&, const StoryEvent&) = default;
};

struct ProgramStory {
    std::string entry;   // "main"; empty: the trace is of a kernel alone
    int exit = 0;        // the process's exit code
    std::string printed; // by the program, at most kMostPrintedKept bytes
    std::vector<StoryEvent> events;
    std::uint64_t events_left_out = 0; // beyond the first kMostStoryEvents
    std::vector<Finding> findings;     // of the host's half
    friend bool operator==(const ProgramStory&, const ProgramStory&) = default;
};
// Whether a program says itself that it went wrong: by its exit code, or as it prints "FAILED", "12 wrong", "mismatch at 3".
bool fails(const ProgramStory& program);
inline constexpr std::size_t kMostStoryEvents = 4096, kMostPrintedKept = 1U << 20;

} // namespace warptree
