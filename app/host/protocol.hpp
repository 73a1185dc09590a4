// What the program's process and the one that serves it say to one another, over one socket: a request and its answer in turn,
// each a header and then `bytes` bytes. Whole arrays pass through a file that both map.
//
// The program is not to be trusted: who serves it checks every number that it sends.
#pragma once

#include <array>
#include <cstdint>

namespace warptree::host {

// Descriptors that warptree-host is started with, beside standard input, output and error.
inline constexpr int kSocket = 3, kSharedFile = 4;

// The shared file begins with room for passing bytes; what follows belongs to managed and mapped memory.
inline constexpr std::uint64_t kStageBytes = 4ULL << 20;

// A function of the runtime API that needs the device, or an event of the process. To add one: its name here, the function
// in app/host/api_*.cpp, how it is served in app/run/program/calls.cpp; its declaration is in include/warptree/host.h.
enum class Call : std::uint32_t {
    loaded,  // the object is ready to run; answer: nothing
    crashed, // words: signal, address, whether it was the stack, then kCallers callers; place: of the instruction
    ended,   // words: exit code; before destructors of static objects
    // Of the object's own registration.
    kernel,   // bytes: its symbol; answer: its number, then bytes: the sizes of its arguments, 4 bytes each
    variable, // bytes: its symbol; words: size; answer: its number
    // Memory.
    allocate,        // words: bytes, element; answer: address
    allocate_pitch,  // words: width, height, element; answer: address, pitch
    allocate_shared, // words: bytes, element, whether managed; answer: address, offset in the shared file
    release, // words: address, whether it is host memory, whether in the order of a stream; answer: what the host has to unmap: address, bytes
    copy,    // words: to, from, width, height, pitch of to, pitch of from, kind and how; answer: a Part
    small_object,   // of a copy that follows; words: the argument that points to it, its bytes, those of the copy
    stage_in,       // words: address, pitch, width, rows: from the stage to the device
    stage_out,      // words: the same, to the stage
    set,            // words: address, pitch, value, width, height, how
    symbol_address, // words: variable; answer: address, bytes
    pointer_facts,  // words: address; answer: kind of memory, device address, host address
    memory_info,    // answer: free, total
    // Launches.
    launch, // words: kernel (bit 63: cooperative, 62: its error is returned), grid x | y << 32, grid z | block x << 32, block y | z << 32, shared, stream, cluster x | y << 16 | z << 32 (bit 63: stated); bytes: arguments
    function_attribute, // words: kernel, attribute, value
    function_facts,     // words: kernel; answer: shared, constant, local bytes, threads | registers << 32
    occupancy,          // words: kernel, threads, shared; answer: blocks
    // Streams and events.
    stream_create, // words: whether it is non-blocking, priority; answer: number
    stream_facts,  // words: stream; answer: the same of it
    stream_destroy,
    synchronise,  // words: stream, or ~0 for the device; what it is called in the story
    event_create, // words: whether it has no time; answer: number
    event_destroy,
    event_record, // words: event, stream
    event_wait,   // words: event, whether it is only asked for
    stream_wait,  // words: stream, event
    event_time,   // words: from, to; answer: milliseconds as bits of a float
    // Memory that both see.
    guards, // answer: bytes: a Guard each
    early,  // words: address, whether it writes, nothing, then kCallers callers; place: of the instruction
    // Errors and the device.
    last_error,   // words: whether it is forgotten
    note_error,   // words: the error, which a call found without the device; a Misuse
    device_count, // answer: number
    device_set,   // words: device
    peer,         // words: other device, whether it may be used
    device_reset,
    device_facts, // answer: bytes: Facts
    count
};

// What a call did that is an error while a stream is captured.
enum class Misuse : std::uint64_t { none, uses_default_stream, allocates, waits, no_address, count };

// Beside its kind, a copy may be said to be made by a library that the host computes.
inline constexpr std::uint64_t kOfALibrary = 1ULL << 8;
// So may an allocation, beside its element.
inline constexpr std::uint64_t kOfALibrarysOwn = 1ULL << 40;

// Of an instruction that may lie in a library's header: who called it, from the inside out. A word each, in its upper 16 bits
// the section; 0: none.
inline constexpr std::size_t kCallers = 4, kFirstCaller = 3;
inline constexpr unsigned kSectionShift = 48;

// How a copy or a set is asked for, beside its kind: not waited for, and the stream in bits 16 and up.
inline constexpr std::uint64_t kAsynchronous = 1ULL << 9;
// Of a copy: the call names where it is from in its third argument, as cudaMemcpy2D does.
inline constexpr std::uint64_t kFromIsThird = 1ULL << 10;
constexpr std::uint64_t in_stream(std::uint64_t stream) { return kAsynchronous | stream << 16; }

// Memory that both see, which the host is not to touch before it has waited for the device.
struct Guard {
    std::uint64_t address = 0, bytes = 0; // what lies beside it in its pages is free
    std::uint64_t readable = 0;           // the device only reads it
};
inline constexpr std::size_t kMostGuards = 256;

// What the host does for a copy.
enum class Part : std::uint64_t { nothing, sends, receives, copies };

struct Ask {
    std::uint32_t call = 0;
    std::uint32_t section = 0; // of the object, where the program calls; 0: unknown
    std::uint64_t address = 0; // in that section
    std::uint32_t device = 0;  // the current one of the thread that asks
    std::uint32_t reserved = 0;
    std::array<std::uint64_t, 7> words{};
    std::uint64_t bytes = 0;
};

struct Answer {
    std::int32_t error = 0;   // a cudaError_t
    std::uint32_t guards = 0; // counts their changes
    std::array<std::uint64_t, 4> words{};
    std::uint64_t bytes = 0;
};

inline constexpr std::uint64_t kLargestMessage = 1ULL << 20; // bytes that follow a header, either way

// What the program begins with: sent first, followed by the object and the arguments, each with its null.
struct Start {
    std::uint64_t object = 0;    // bytes
    std::uint64_t arguments = 0; // bytes
    std::uint64_t memory = 0;    // bytes that the process may take, beside what is shared
    std::uint64_t seconds = 0;   // of processor time
    std::uint64_t files = 0;     // whether it may read files below the folder that it was started in
};

// Of the device, for cudaGetDeviceProperties.
struct Facts {
    std::array<char, 64> name{};
    std::uint64_t memory = 0, shared_a_block = 0, shared_a_block_most = 0, shared_an_sm = 0, constant = 0, cache = 0;
    std::uint32_t registers_a_block = 0, registers_an_sm = 0, threads_a_block = 0, threads_an_sm = 0, blocks_an_sm = 0;
    std::uint32_t sms = 0, major = 0, minor = 0, clock_khz = 0, memory_clock_khz = 0, bus_bits = 0;
    std::uint32_t reserved = 0;
};

} // namespace warptree::host
