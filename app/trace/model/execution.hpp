// What a kernel does besides the data flow: its memory, votes, branches, barriers, variables, findings. Part of a
// Launch; see trace.hpp for the order of the tables.
#pragma once

#include "app/base/value_type.hpp"
#include "app/trace/model/lane_values.hpp"
#include "app/trace/model/source_line.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace warptree {

// In Request::allocation and similar members: the block's shared memory, whose arrays are in Launch::shared_arrays.
inline constexpr std::uint16_t kSharedMemory = 0xFFFF;

// An array or a variable in global memory.
struct Allocation {
    std::string name;
    ValueType element = ValueType::none;
    std::uint32_t element_bytes = 4;
    std::uint64_t elements = 0;
    bool input = false, output = false; // an argument that the kernel loads from; stores to
    // The number of elements that the kernel reached in an array of unstated size; 0: its size was stated.
    std::uint64_t reached = 0;
    std::uint32_t held = 0; // of Launch::held: its first elements, as far as they had values before the launch
    friend bool operator==(const Allocation&, const Allocation&) = default;
};

struct SharedArray {
    std::string name;
    ValueType element = ValueType::none;
    std::uint32_t element_bytes = 4;
    std::uint32_t offset = 0, bytes = 0; // in shared memory
    std::uint32_t row = 0;               // elements of a row, if it has two dimensions; else 0
    friend bool operator==(const SharedArray&, const SharedArray&) = default;
};

enum class VoteKind : std::uint8_t { any, all, uniform, ballot, match_any, match_all };

struct Vote {
    std::uint32_t block = 0;
    std::uint16_t step = 0, warp = 0;
    VoteKind kind = VoteKind::any;
    std::uint32_t mask = 0;  // lanes that take part
    std::uint32_t holds = 0; // lanes for which the predicate holds
    SourceLine line = SourceLine::none();
    friend bool operator==(const Vote&, const Vote&) = default;
};

// A branch at which lanes of a warp diverge.
struct Branch {
    std::uint32_t block = 0;
    std::uint16_t step = 0, warp = 0;
    std::uint32_t taken = 0, not_taken = 0; // lanes
    SourceLine line = SourceLine::none();
    friend bool operator==(const Branch&, const Branch&) = default;
};

// __syncwarp.
struct WarpBarrier {
    std::uint32_t block = 0;
    std::uint16_t step = 0, warp = 0;
    std::uint32_t mask = 0;
    SourceLine line = SourceLine::none();
    friend bool operator==(const WarpBarrier&, const WarpBarrier&) = default;
};

// Lanes of a warp that arrive at a barrier: row `barrier` of Launch::barriers.
struct Arrival {
    std::uint32_t barrier = 0;
    std::uint16_t warp = 0;
    std::uint32_t mask = 0;
    friend bool operator==(const Arrival&, const Arrival&) = default;
};

// A variable of the source.
struct Variable {
    std::string name;
    ValueType type = ValueType::none;
    SourceLine line = SourceLine::none();
    friend bool operator==(const Variable&, const Variable&) = default;
};

// A variable's value at the end of a step, in the lanes of a warp that assign it in that step.
struct Watch {
    std::uint32_t block = 0;
    std::uint16_t step = 0, warp = 0;
    std::uint32_t variable = 0;    // row of Launch::variables
    std::uint32_t mask = 0;        // lanes
    std::uint32_t first_value = 0; // into Launch::watched: where those of the lanes in mask begin
    LaneShape shape = LaneShape::each;
    friend bool operator==(const Watch&, const Watch&) = default;
};

// The values that lanes of a request leave in memory, one of a vector's parts: a store's, or what an atomic makes of what
// is there. Where a later atomic of the same step changes the element again, the lane has none here.
struct StoredLanes {
    std::uint32_t request = 0; // row of Launch::requests, by which they are sorted, and then by part
    std::uint8_t part = 0, parts = 1;
    std::uint32_t mask = 0;        // lanes
    std::uint32_t first_value = 0; // into Launch::stored_values: where those of the lanes in mask begin, as bits
    LaneShape shape = LaneShape::each;
    friend bool operator==(const StoredLanes&, const StoredLanes&) = default;
};

// Stable: trace files hold the number.
enum class FindingKind : std::uint8_t {
    race_shared,
    race_global,
    barrier_divergence,
    deadlock,
    endless,
    out_of_bounds,
    misaligned,
    uninitialised,
    bad_mask,
    inactive_lane,
    differs_on_gpu,
    assertion,
    trap,
    bad_free,
    print_format,
    limit,
    print_limit,
    legacy_shuffle, // a shuffle or vote without _sync
    // Of programs: `text` is the sentence, without its line.
    copy_out_of_bounds,
    copy_direction,
    host_pointer,   // given to a kernel
    device_pointer, // used by host code
    use_after_free, // by the host
    uninitialised_copy,
    failed_launch, // refused, as a GPU would
    leak,
    uncovered, // elements that a launch does not reach, though it is told how many there are
    crash,
    growth_limit,     // past what an array of unstated size may grow to here
    lockstep,         // endless where the lanes of a warp cannot run on by themselves
    cluster_lifetime, // another block's shared memory is used, and nothing tells that the block has started, or still runs
    counted_copy,     // of a program: of as many bytes as the array has elements
    doubtful_code,    // what the compiler sees in the text and is hardly ever meant
    unseen_print,     // of a program: by a kernel that it does not wait for before it ends
    unread_results,    // of a program: nothing that its kernels store is ever brought to the host
    shuffle_reach,     // a shuffle up or down by as many lanes as its segments have, or more
    lost_elements,     // of a reduction: they are combined and are in no result; `text` says how many
    overflow,          // a result that its integer type does not hold: `text` is the sentence
    repeated_elements, // of a sum: several threads add one value; `text` says how often
    own_value,         // a shuffle without a source gives it, and it is combined with itself; `text` says so
    not_a_number       // is stored; `text` says how many, and `writes` that the first value that is none is infinite
};

// How bad a finding is. Stable: trace files hold the number.
enum class Severity : std::uint8_t {
    fault, // the kernel is wrong, even where this run's result is right
    risk,  // right here, but not by CUDA's rules: another compiler, GPU or order may make it wrong
    cost   // right, but slow
};
std::string_view name(Severity severity); // "fault", "risk", "cost"

// What it means for the rest of the run.
enum class Consequence : std::uint8_t {
    none,
    ends_the_run, // no value computed after it is meaningful
    explains      // it only says how a result came to be: what makes a run fail is another
};

// What is known of a kind. A new one is its record here, its sentence (trace/explain/findings.cpp) and whoever finds it.
struct FindingRecord {
    FindingKind kind;
    std::string_view id;                 // in documents
    std::string_view title;              // for people
    Severity severity = Severity::fault; // unless whoever finds it says otherwise
    Consequence consequence = Consequence::none;
};
inline constexpr std::array kFindingRecords{
    FindingRecord{FindingKind::race_shared, "race-shared", "race"},
    FindingRecord{FindingKind::race_global, "race-global", "race"},
    FindingRecord{FindingKind::barrier_divergence, "barrier-divergence", "barrier in divergent code"},
    FindingRecord{FindingKind::deadlock, "deadlock", "deadlock", Severity::fault, Consequence::ends_the_run},
    FindingRecord{FindingKind::endless, "endless", "still running", Severity::fault, Consequence::ends_the_run},
    FindingRecord{FindingKind::out_of_bounds, "out-of-bounds", "out of bounds", Severity::fault,
                  Consequence::ends_the_run},
    FindingRecord{FindingKind::misaligned, "misaligned", "misaligned", Severity::fault, Consequence::ends_the_run},
    FindingRecord{FindingKind::uninitialised, "uninitialised", "uninitialised"},
    FindingRecord{FindingKind::bad_mask, "bad-mask", "wrong mask"},
    FindingRecord{FindingKind::inactive_lane, "inactive-lane", "inactive lane"},
    FindingRecord{FindingKind::differs_on_gpu, "differs-on-gpu", "differs on the GPU"},
    FindingRecord{FindingKind::assertion, "assertion", "assertion", Severity::fault, Consequence::ends_the_run},
    FindingRecord{FindingKind::trap, "trap", "stopped", Severity::fault, Consequence::ends_the_run},
    FindingRecord{FindingKind::bad_free, "bad-free", "bad free", Severity::fault, Consequence::ends_the_run},
    FindingRecord{FindingKind::print_format, "print-format", "printf"},
    FindingRecord{FindingKind::limit, "limit", "limit", Severity::fault, Consequence::ends_the_run},
    FindingRecord{FindingKind::print_limit, "print-limit", "printf"},
    FindingRecord{FindingKind::legacy_shuffle, "legacy-shuffle", "shuffle without _sync"},
    FindingRecord{FindingKind::copy_out_of_bounds, "copy-out-of-bounds", "copy out of bounds"},
    FindingRecord{FindingKind::copy_direction, "copy-direction", "copy in the wrong direction"},
    FindingRecord{FindingKind::host_pointer, "host-pointer", "host pointer in a kernel"},
    FindingRecord{FindingKind::device_pointer, "device-pointer", "device pointer on the host"},
    FindingRecord{FindingKind::use_after_free, "use-after-free", "use after free"},
    FindingRecord{FindingKind::uninitialised_copy, "uninitialised-copy", "uninitialised memory copied", Severity::risk},
    FindingRecord{FindingKind::failed_launch, "failed-launch", "failed launch"},
    FindingRecord{FindingKind::leak, "leak", "leak", Severity::risk},
    FindingRecord{FindingKind::uncovered, "uncovered", "elements not covered", Severity::risk},
    FindingRecord{FindingKind::crash, "crash", "crash"},
    FindingRecord{FindingKind::growth_limit, "growth-limit", "limit of growth", Severity::fault,
                  Consequence::ends_the_run},
    FindingRecord{FindingKind::lockstep, "lockstep", "endless in lockstep"},
    FindingRecord{FindingKind::cluster_lifetime, "cluster-lifetime", "block of the cluster not running"},
    FindingRecord{FindingKind::counted_copy, "counted-copy", "copy of fewer bytes than elements have", Severity::risk},
    FindingRecord{FindingKind::doubtful_code, "doubtful-code", "doubtful code", Severity::risk},
    FindingRecord{FindingKind::unseen_print, "unseen-print", "print that is not seen", Severity::risk},
    FindingRecord{FindingKind::unread_results, "unread-results", "results that nobody reads", Severity::risk},
    FindingRecord{FindingKind::shuffle_reach, "shuffle-reach", "shuffle out of reach"},
    FindingRecord{FindingKind::lost_elements, "lost-elements", "lost elements", Severity::risk, Consequence::explains},
    FindingRecord{FindingKind::overflow, "overflow", "integer overflow"},
    FindingRecord{FindingKind::repeated_elements, "repeated-elements", "repeated elements", Severity::risk,
                  Consequence::explains},
    FindingRecord{FindingKind::own_value, "own-value", "shuffle without a source", Severity::risk,
                  Consequence::explains},
    FindingRecord{FindingKind::not_a_number, "not-a-number", "not a number", Severity::risk, Consequence::explains},
};
constexpr const FindingRecord& record_of(FindingKind kind) { return kFindingRecords[static_cast<std::size_t>(kind)]; }
static_assert(
    [] {
        for (std::size_t k = 0; k < kFindingRecords.size(); ++k) {
            if (record_of(static_cast<FindingKind>(k)).kind != static_cast<FindingKind>(k)) {
                return false;
            }
        }
        return true;
    }(),
    "the records are in the order of the kinds");

constexpr std::string_view name(FindingKind kind) { return record_of(kind).id; } // "race-shared", "out-of-bounds", …
constexpr bool is_race(FindingKind kind) {
    return kind == FindingKind::race_shared || kind == FindingKind::race_global;
}
constexpr bool ends_the_run(FindingKind kind) { return record_of(kind).consequence == Consequence::ends_the_run; }
constexpr bool explains(FindingKind kind) { return record_of(kind).consequence == Consequence::explains; }

inline constexpr std::uint32_t kNobody = 0xFFFFFFFFU;

// What goes wrong at one place in the source: the first occurrence, and how often it occurs.
struct Finding {
    FindingKind kind = FindingKind::trap;
    Severity severity = Severity::fault;
    std::uint32_t block = 0, thread = 0, step = 0; // thread: in the block; step: of the launch
    SourceLine line = SourceLine::none();
    std::uint32_t other_block = kNobody, other_thread = kNobody, other_step = 0; // the other side of a race
    SourceLine other_line = SourceLine::none();
    bool writes = false, other_writes = false;
    bool updates = false;       // of a race: both sides read, change and store the element: x += y
    bool fence_missing = false; // of a race: a fence behind the load of the flag would order it
    bool guess = false;         // of a race: the value read is only what an atomicCAS then expects there
    bool compares = false;      // of a race: the value read is only compared, which comes out the same before and after
    std::string array;          // the array concerned; empty: none
    std::int64_t index = 0;     // element of it; of an endless one: warp instructions of its block so far
    std::uint64_t elements = 0; // of the array; 0: unknown
    std::uint32_t bytes = 0;    // of the access
    std::uint32_t mask = 0;     // lanes concerned
    std::uint64_t times = 1;
    std::string text; // details: the assertion, the loop's variable
    friend bool operator==(const Finding&, const Finding&) = default;
};

// An access that may be out of bounds, of an array whose size nobody stated, went on.
inline bool ends_the_run(const Finding& f) {
    return ends_the_run(f.kind) && (f.kind != FindingKind::out_of_bounds || f.severity == Severity::fault);
}

} // namespace warptree
