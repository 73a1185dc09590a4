// A trace: what a run did, step by step. Pure data; every view and report reads this and nothing else.
//
// A run is a sequence of launches. Every block is counted (Step::counters); the blocks of the window are recorded in
// full (warp_steps, requests, nodes, ...). All tables are in canonical order, so equal runs give equal traces:
//   warp_steps: dense, [block in window][step][warp]
//   requests:   by (block, step, warp, path, ordinal)
//   nodes:      by block, leaves before operations, each in the order of execution
// "block" in every table is the block index in the grid (not in the window).
#pragma once

#include "app/base/element.hpp"
#include "app/base/options.hpp"
#include "app/trace/model/execution.hpp"
#include "app/trace/model/kinds.hpp"
#include "app/trace/model/lane_values.hpp"
#include "app/trace/model/program_story.hpp"
#include "app/trace/model/source_line.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace warptree {

inline constexpr unsigned kWarpSize = 32;
inline constexpr std::uint32_t kNone = 0xFFFFFFFFU;

// Per-step counters, summed over all blocks of the launch. Their meanings: app/trace/explain/report.hpp.
struct Counters {
    // Stage: threads that combine; load, store: that access global memory; if none does, any memory.
    std::uint64_t active_threads = 0;
    std::uint64_t active_warps = 0; // warps with at least one active lane
    // Warps with some but not all of their threads active, or whose threads combine, load or store on different paths.
    std::uint64_t divergent_warps = 0;
    std::uint64_t combines = 0;        // applications of the operator
    std::uint64_t useful_combines = 0; // those that the final result depends on, except padding
    // Those with an operand that is only the identity, or combined only from identities: they change no value.
    std::uint64_t padding_combines = 0;
    std::uint64_t barriers = 0; // block and named barriers completed, one per block
    std::uint64_t shared_load_requests = 0;
    std::uint64_t shared_load_wavefronts = 0;
    std::uint64_t shared_load_ideal = 0;
    std::uint64_t shared_store_requests = 0;
    std::uint64_t shared_store_wavefronts = 0;
    std::uint64_t shared_store_ideal = 0;
    std::uint64_t global_load_requests = 0;
    std::uint64_t global_load_sectors = 0; // 32-byte sectors accessed
    std::uint64_t global_store_requests = 0;
    std::uint64_t global_store_sectors = 0;
    std::uint64_t shuffles = 0; // warp-level shuffle instructions
    std::uint64_t atomics = 0;  // atomic operations, one per lane
    std::uint64_t hazards = 0;  // words of shared, elements of global memory on which a warp races

    Counters& operator+=(const Counters& other);
    friend bool operator==(const Counters&, const Counters&) = default;
};

// Name and member of each counter in report order, for reports, files and tables.
struct CounterField {
    const char* name;
    std::uint64_t Counters::*member;
};
const std::vector<CounterField>& counter_fields();

struct Step {
    StepKind kind = StepKind::load;
    // Of a stage: its loop variable; without one, the distance of the operands in elements, from blocks traced in full.
    // 0: none
    std::uint32_t stride = 0;
    std::string label; // "load", "s = 4", "store"; the second of that name: "s = 4 (2)"; "load partials"
    Counters counters;
    std::string purpose; // a sentence from the source on what the step is for; empty: none
    friend bool operator==(const Step&, const Step&) = default;
};

// One warp in one step.
struct WarpStep {
    std::uint32_t existing = 0;   // lanes that have a thread
    std::uint32_t active = 0;     // active lanes, as in Counters::active_threads
    std::uint32_t other_path = 0; // of these, those on another path than the lowest active lane
    friend bool operator==(const WarpStep&, const WarpStep&) = default;
};

// remote: of another block's shared memory, in a cluster. Stable: trace files hold the number.
enum class AccessKind : std::uint8_t {
    shared_load,
    shared_store,
    global_load,
    global_store,
    atomic,
    shared_atomic,
    remote_load,
    remote_store,
    remote_atomic
};
constexpr bool is_remote(AccessKind kind) { return kind >= AccessKind::remote_load; }
constexpr bool is_shared(AccessKind kind) {
    return kind == AccessKind::shared_load || kind == AccessKind::shared_store || kind == AccessKind::shared_atomic;
}

// One warp-level memory access. Constant memory is loaded from by a `global_load` of no sectors.
struct Request {
    std::uint32_t block = 0;
    std::uint16_t step = 0;
    std::uint16_t warp = 0;
    AccessKind kind = AccessKind::shared_load;
    std::uint8_t bytes = 4;       // per lane: an element, or a vector
    std::uint16_t path = 0;       // index of the branch path within (block, step, warp); 0: first executed
    std::uint16_t ordinal = 0;    // order within (block, step, warp, path)
    std::uint32_t mask = 0;       // lanes that take part
    std::uint16_t wavefronts = 0; // shared accesses; 0 for global
    std::uint16_t ideal = 0;      // wavefronts without conflicts
    std::uint16_t sectors = 0;    // of global memory; 0 for shared and constant
    SourceLine line = SourceLine::none();
    std::uint32_t first_index = 0; // into Launch::indices: where those of the lanes in mask begin, in units of `bytes`
    std::uint16_t allocation = kSharedMemory; // row of Launch::allocations
    LaneShape index_shape = LaneShape::each;
    bool is_constant() const { return kind == AccessKind::global_load && sectors == 0; }
    friend bool operator==(const Request&, const Request&) = default;
};

enum class NodeKind : std::uint8_t {
    leaf,     // an element loaded from global memory
    identity, // the operator's identity, used by a thread past the end of the input
    combine,
    partial, // what another block of this launch output or published, read back; of shared memory: what another block
             // of the cluster put there, whose node is `left`, if it is traced
    product, // an operation on values before they are combined with the operator: a product of two, a square, a
             // function of one value (right is then kNone)
};
// What an operation does. Stable: trace files hold the number.
enum class Operation : std::uint8_t {
    none, // a leaf, or an operation that has no name
    add,
    subtract,
    multiply,
    divide,
    remainder,
    minimum,
    maximum,
    and_,
    or_,
    xor_,
    shift_left,
    shift_right,
    fused_multiply_add,
    function,
    merge // of two records: several operations on the values of both, which are its parts
};
std::string_view name(Operation operation); // "sum", "product", "min", …; none: empty
constexpr bool has_operands(NodeKind kind) { return kind == NodeKind::combine || kind == NodeKind::product; }

// One value of the data flow. Traces have millions: 40 bytes.
struct Node {
    NodeKind kind = NodeKind::leaf;
    Operation operation = Operation::none;
    ValueType type = ValueType::none; // none: the trace's element type
    bool useful : 1 = false;          // the final result depends on it, and it is not padding
    bool padding : 1 = false;         // combine: see Counters::padding_combines
    std::uint16_t step = 0;
    std::uint16_t thread = 0;     // in the block
    std::uint16_t allocation = 0; // leaf, partial: row of Launch::allocations; of a partial also kSharedMemory
    std::uint16_t word_allocation = kSharedMemory; // of `word`
    std::uint32_t block = 0;
    // Combine, product: the first operand (index into Launch::nodes); kNone: a value that no node produced.
    std::uint32_t left = kNone;
    std::uint32_t right_or_element = kNone; // right() or element(), by kind
    std::uint32_t word = kNone; // element it was first stored to, in `word_allocation`; kNone: stays in a register
    SourceLine line = SourceLine::none(); // of the load or combine
    std::uint64_t bits = 0;               // the value, as bits of `type`

    // Combine, product: the second operand, as `left`; else kNone.
    std::uint32_t right() const { return has_operands(kind) ? right_or_element : kNone; }
    // Leaf: index in the launch's input; partial: in its output, or in shared memory; else kNone.
    std::uint32_t element() const { return has_operands(kind) ? kNone : right_or_element; }
    friend bool operator==(const Node&, const Node&) = default;
};

// A value of a merge: of an argmax the maximum and its index.
struct NodePart {
    std::uint32_t node = kNone;           // the merge
    SourceLine line = SourceLine::none(); // where it is computed
    Operation operation = Operation::none;
    ValueType type = ValueType::none;
    std::uint64_t bits = 0; // as bits of `type`
    friend bool operator==(const NodePart&, const NodePart&) = default;
};

// One warp-level shuffle.
struct Shuffle {
    std::uint32_t block = 0;
    std::uint16_t step = 0;
    std::uint16_t warp = 0;
    ShuffleKind kind = ShuffleKind::down;
    std::uint8_t width = 32;
    std::uint16_t delta = 0; // delta, lane mask or source lane
    std::uint32_t mask = 0;  // lanes that take part
    SourceLine line = SourceLine::none();
    std::uint32_t first_source = kNone; // into Launch::shuffle_sources: 32, by lane; kNone: see delta, width
    friend bool operator==(const Shuffle&, const Shuffle&) = default;
};

// A value that leaves its block: stored to the launch's output, or combined into it atomically.
struct Output {
    std::uint32_t block = 0;
    std::uint16_t step = 0;
    std::uint16_t thread = 0;
    bool atomic = false;
    std::uint32_t index = 0;    // element of the launch's output
    std::uint32_t node = kNone; // the value
    SourceLine line = SourceLine::none();
    std::uint16_t allocation = 0; // row of Launch::allocations
    friend bool operator==(const Output&, const Output&) = default;
};

// A block or named barrier completed in a block of the window.
struct Barrier {
    std::uint32_t block = 0;
    std::uint16_t step = 0;
    SourceLine line = SourceLine::none();
    std::uint16_t number = 0;   // of a named barrier; 0: __syncthreads
    std::uint16_t expected = 0; // threads; 0: all of the block
    friend bool operator==(const Barrier&, const Barrier&) = default;
};

// Two threads access one word of shared memory in one barrier interval, at least one writes, and nothing orders them.
struct Hazard {
    std::uint32_t block = 0;
    std::uint32_t word = 0; // element of shared memory
    std::uint16_t first_step = 0, first_thread = 0;
    std::uint16_t second_step = 0, second_thread = 0;
    bool first_writes = false, second_writes = false;
    SourceLine first_line = SourceLine::none(), second_line = SourceLine::none();
    // Two lanes of a warp, with a shuffle between the accesses: it synchronises the lanes but does not order memory.
    bool across_shuffle = false;
    friend bool operator==(const Hazard&, const Hazard&) = default;
};

enum class StallKind : std::uint8_t {
    barrier,
    warp_barrier,
    memory
}; // the last: for a value that nobody stores any more

// Lanes of a warp that wait forever at a barrier that other threads never reach, or for memory.
struct Stall {
    std::uint32_t block = 0;
    std::uint16_t step = 0;
    std::uint16_t warp = 0;
    StallKind kind = StallKind::barrier;
    std::uint32_t mask = 0;     // lanes that wait here
    std::uint16_t expected = 0; // threads that would have to arrive: of the block, or of the warp
    SourceLine line = SourceLine::none();
    friend bool operator==(const Stall&, const Stall&) = default;
};

// A kernel parameter and its argument.
struct KernelArgument {
    std::string name, type;  // as in the source: "in", "const float*"
    std::string value;       // "random", "iota", "1024", "weights.npy"
    std::uint64_t count = 0; // elements of an array
    bool chosen = false;     // by the program, not stated by the user
    friend bool operator==(const KernelArgument&, const KernelArgument&) = default;
};

struct Launch {
    std::uint32_t grid = 1;
    std::uint32_t block = 1;                                                // threads
    std::array<std::uint32_t, 3> grid_shape{1, 1, 1}, block_shape{1, 1, 1}; // x, y, z; all 1: one dimension
    std::uint64_t elements = 0;                                             // of this launch's input
    std::array<std::uint32_t, 3> cluster{1, 1, 1};                          // blocks of a cluster
    std::uint32_t shared_bytes = 0;                                         // per block
    std::uint32_t outputs_total = 0;                  // elements of this launch's output (1 for atomic)
    std::uint32_t window_first = 0, window_count = 0; // blocks traced in full

    std::vector<Step> steps;
    std::vector<WarpStep> warp_steps;
    std::vector<Request> requests;
    std::vector<std::uint32_t> indices; // element index accessed, of the lanes of each request: index_of()
    std::vector<Node> nodes;
    std::vector<NodePart> parts; // by node
    std::vector<Shuffle> shuffles;
    std::vector<Output> outputs;
    std::vector<Barrier> barriers;
    std::vector<Hazard> hazards;
    std::vector<Stall> stalls;
    std::vector<Vote> votes;
    std::vector<Branch> branches;
    std::vector<WarpBarrier> warp_barriers;
    std::vector<Arrival> arrivals;             // by barrier
    std::vector<std::uint8_t> shuffle_sources; // source lane of each lane
    std::vector<Variable> variables;
    std::vector<Watch> watches;
    std::vector<std::uint64_t> watched; // values of variables, as bits of their type: value_of()
    std::vector<StoredLanes> stored;
    std::vector<std::uint64_t> stored_values; // as bits of what is stored: value_of()
    std::vector<Allocation> allocations;
    std::vector<std::uint64_t> held; // by allocation, of each Allocation::held elements: their bits before the launch
    std::vector<SharedArray> shared_arrays;
    std::vector<Finding> findings;
    std::string printed;          // by printf, in the order of blocks
    std::vector<Scalar> partials; // the launch's output, first kMaxPartialsKept elements

    std::string kernel;                    // of a program, whose launches may be of several kernels; else empty
    std::vector<KernelArgument> arguments; // the same
    std::uint32_t stalled_blocks = 0;      // blocks of the whole grid that never complete

    unsigned warps() const { return (block + kWarpSize - 1) / kWarpSize; }
    // Valid for blocks of the window.
    const WarpStep& warp_step(std::uint32_t blk, unsigned step, unsigned warp) const {
        return warp_steps[(static_cast<std::size_t>(blk - window_first) * steps.size() + step) * warps() + warp];
    }
    // That has this byte of shared memory; null: none.
    const SharedArray* shared_array_at(std::uint64_t byte) const {
        for (const SharedArray& array : shared_arrays) {
            if (byte >= array.offset && byte - array.offset < array.bytes) {
                return &array;
            }
        }
        return nullptr;
    }
    // Of a lane that takes part.
    std::uint32_t index_of(const Request& r, unsigned lane) const {
        return lane_value(indices, r.first_index, r.index_shape, r.mask, lane);
    }
    std::uint64_t value_of(const Watch& w, unsigned lane) const {
        return lane_value(watched, w.first_value, w.shape, w.mask, lane);
    }
    std::uint64_t value_of(const StoredLanes& s, unsigned lane) const {
        return lane_value(stored_values, s.first_value, s.shape, s.mask, lane);
    }
    bool completed() const {
        return stalled_blocks == 0 &&
               std::none_of(findings.begin(), findings.end(), [](const Finding& f) { return ends_the_run(f); });
    }
    bool stores_each_element() const { return outputs_total == elements && elements > grid; } // as a scan or a map does
    bool in_window(std::uint32_t blk) const { return blk >= window_first && blk - window_first < window_count; }
    Counters totals() const;
    friend bool operator==(const Launch&, const Launch&) = default;
};
inline constexpr std::size_t kMaxPartialsKept = 1024;
inline constexpr std::size_t kMaxHeld = 1024; // elements of an array

// Totals of the whole reduction: launches, atomics and host.
struct TreeTotals {
    std::uint64_t leaves = 0;
    std::uint64_t combines = 0;
    std::uint64_t useful_combines = 0;
    std::uint64_t padding_combines = 0;
    std::uint64_t depth = 0; // combines on the longest path from a leaf to the result
    friend bool operator==(const TreeTotals&, const TreeTotals&) = default;
};

// A source file that the run's lines refer to, as it was at the time of the run.
struct SourceFile {
    std::string path; // as included: "sequential.cu", "warp_reduce.cuh"
    std::string text;
    friend bool operator==(const SourceFile&, const SourceFile&) = default;
};

// A kernel that has an error, or needs what has one; others of its file run.
struct RefusedKernel {
    std::string name; // "reduce<256>"; of a template: "reduce"
    std::string why;  // "mine.cu:12: no template named 'fragment'; tensor cores (wmma, wgmma) are not part of warptree"
    friend bool operator==(const RefusedKernel&, const RefusedKernel&) = default;
};

// The first values of an array that the kernel stored to.
struct KernelOutput {
    std::string name;
    ValueType type = ValueType::none;
    std::uint64_t count = 0;           // elements of the array
    std::vector<std::uint64_t> values; // bits of the first ones
    // Of an array of records whose scalars are of several types: its first ones, "{0.5, 7}". `values` then mean nothing.
    std::vector<std::string> records;
    friend bool operator==(const KernelOutput&, const KernelOutput&) = default;
};

// A launch that differs from the one shown in what nobody stated, and what came of it.
struct OtherLaunch {
    std::string with;  // what differs: "elements = 1000", "256 threads"
    std::string found; // in a few words: "out of bounds (risk)", "not the sum of in"
    // Goes on from them: ": thread 0 reads in[1000] in line 9, but …", " if in has n elements: …".
    std::string rest;
    bool wrong = true;   // false: it says why another launch is shown
    SourceLine line{};   // that it is about
    std::uint64_t n = 0; // of it, where nothing but n differs; else 0
    friend bool operator==(const OtherLaunch&, const OtherLaunch&) = default;
};

struct Device {
    std::string name; // "CPU interpreter" or the GPU's name
    int compute_major = 0, compute_minor = 0;
    friend bool operator==(const Device&, const Device&) = default;
};

struct Trace {
    RunOptions options;   // resolved: block, finish and backend (cpu or cuda) are set
    std::string producer; // "warptree 0.1.0"
    Device device;
    std::vector<Launch> launches;
    std::uint32_t host_partials = 0; // partials that the host combined, pairwise; 0 or 1: none
    TreeTotals tree;
    Scalar result;
    Scalar reference;           // integers: exact, wrapped; floating-point: compensated, rounded to the type
    double reference_error = 0; // floating-point: |result - reference|; integers: 0 or 1
    double tolerance = 0;       // of reference_error: an error bound from the number of operations
    bool pass = false;
    // If each output is a result: the first wrong one. result and reference are then its values, or those of the last
    // output if none is wrong; the error is the largest.
    std::optional<std::uint64_t> first_wrong;
    std::string kernel;                 // its name: "reduce<256>"; empty: a strategy, in an old trace file
    std::vector<std::string> kernels;   // in the file: "reduce"; a template: "scan<"
    std::vector<RefusedKernel> refused; // of the same file, which do not matter for this run
    std::vector<KernelArgument> arguments;
    std::vector<KernelOutput> outputs;
    std::vector<std::string> chosen; // by the program, because not stated: "block 256", "in = primes"
    std::vector<OtherLaunch> tried;  // what they found that this launch, chosen instead, does not show
    std::string expected; // what outputs are compared with: "sum", "scan", …; "none" or empty: nothing, and `pass`
                          // has no meaning
    std::string equals;   // if nothing was expected: what the output is, "the sum of in"; empty: unknown
    ProgramStory program; // of a whole program: `launches` are its
    std::vector<SourceFile> sources; // the kernel's own file first
    friend bool operator==(const Trace&, const Trace&) = default;

    std::uint32_t block() const { return launches.empty() ? 0 : launches.front().block; }
    // False: a launch waits forever or was ended by a finding; there is then no result, and `pass` is false.
    bool completed() const { return launches.empty() || launches.back().completed(); }
};

// A launch of a program as a trace of its own, without what comes before and after it.
Trace launch_alone(const Trace& program, std::uint32_t launch);

} // namespace warptree
