// From what each thread does to counters and tables: the one analysis, fed by the interpreter as it runs and by
// the replay of a GPU recording. What it derives does not depend on the order in which threads are fed, as long as
// each thread's own events come in program order and operands exist before the combine that takes them.
#pragma once

#include "app/trace/model/kinds.hpp"
#include "app/trace/model/trace.hpp"
#include "kernels/trace/hazards.hpp"
#include "kernels/trace/nodes.hpp"
#include "kernels/trace/program_order.hpp"
#include "kernels/trace/steps.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace warptree {

// The recorder's view of one thread.
struct ThreadTrace {
    std::uint16_t thread = 0; // in the block
    std::uint8_t lane = 0, warp = 0;
    std::uint16_t step = 0; // id in the step table
    // Accesses so far on this path of this step: to shared memory, and to global memory. A thread past the end makes
    // no global load, and yet its next shared store belongs to the request of its neighbours.
    std::array<std::uint16_t, 2> ordinal{};
    std::uint16_t slot = 0;       // where the next access is expected; 0 after each end_warp
    std::uint16_t interval = 0;   // block barriers passed
    std::uint16_t warp_epoch = 0; // warp barriers passed; a shuffle is none, as it orders no memory
    std::uint16_t shuffles = 0;   // shuffles passed, at which lanes meet
    std::uint32_t path = 1;       // branches and joins since the step or barrier interval began; lanes agree on it
    std::uint32_t accesses = 0;
    NodeRef load_node = kNoNode; // the thread's merged combines of the load step, when only counting
};

struct RecorderSetup {
    std::uint32_t block_threads = 1;
    unsigned element_bytes = 4;
    int banks = 32;
    std::uint32_t shared_elements = 0;
    const PartialMeta* input_metas = nullptr; // of each input element of a later launch; null: the first launch
    PartialMeta* output_metas = nullptr;      // of each output of this launch, filled as blocks end; null: none kept
    std::uint32_t window_first = 0, window_count = 0;
    bool many_readers = false; // an element's value goes into several outputs: leaves are kept, to be counted once
};

// One block at a time: begin_block, the events of all threads, with end_warp whenever the lanes of one warp have all
// stopped and end_interval at each block barrier, then end_block.
class Recorder {
  public:
    explicit Recorder(const RecorderSetup& setup);

    void begin_block(std::uint32_t block);
    // The accesses since the last call were of one warp, whose lanes have stopped. Lanes of `paused` go on before any
    // other warp runs: what only others have reached stays open for them.
    void end_warp(std::uint32_t paused = 0);
    void end_interval();
    void end_block();
    bool full() const { return full_; } // the block is traced in full

    void enter_step(ThreadTrace& t, StepKind kind, std::uint32_t stride, Phase phase = Phase::none) {
        t.step = steps_.advance(t.step, kind, stride, phase);
        if (t.step != furthest_ && steps_[t.step].rank > steps_[furthest_].rank) {
            furthest_ = t.step;
        }
        t.path = 1;
        t.ordinal = {};
        if (t.step >= step_capacity_) {
            grow();
        }
    }
    // Where a branch or loop begins whose lanes join again: fork, then branch once for an if statement or at every turn
    // of a loop, then join at its end.
    struct Fork {
        std::uint32_t path;
        std::uint16_t step, interval;
    };
    Fork fork(const ThreadTrace& t) const { return {t.path, t.step, t.interval}; }
    void branch(ThreadTrace& t, bool taken) { enter_path(t, t.path, taken ? 2 : 1); }
    // All lanes that have forked go on together, but for those that a step or barrier in between has taken further.
    void join(ThreadTrace& t, const Fork& fork) {
        enter_path(t, t.step == fork.step && t.interval == fork.interval ? fork.path : t.path, 3);
    }
    void shared_access(ThreadTrace& t, AccessKind kind, std::uint32_t word, SourceLine at) {
        access(t, kind, word, at, setup_.element_bytes);
        note_shared(t, word, kind == AccessKind::shared_store, at);
    }
    // A vector of shared elements in one access. `vector`: index in vectors.
    void shared_vector(ThreadTrace& t, AccessKind kind, std::uint32_t vector, unsigned vector_bytes, SourceLine at);
    void stored(Origin value, std::uint32_t word) { // to shared memory
        if (full_) {
            nodes_.stored(value.node, word);
        }
    }
    // The output as memory of the block: element first + i of it, which is word i.
    void array_access(ThreadTrace& t, AccessKind kind, std::uint64_t first, std::uint32_t i, SourceLine at);
    void array_stored(const ThreadTrace& t, std::uint64_t first, std::uint32_t i, Origin value, SourceLine at);
    // A value for other blocks to see and its flag, in one word of twice the element's size; it counts as put out.
    void published(ThreadTrace& t, std::uint32_t tile, Origin value, SourceLine at);
    // The same read by another block. `element`: the last of the tile's.
    struct Sighting {
        std::uint32_t tile, element;
        bool is_prefix;
        std::uint32_t depth;
        std::uint64_t bits;
    };
    Origin seen(ThreadTrace& t, const Sighting& what, SourceLine at);
    Origin load(ThreadTrace& t, std::uint32_t element, std::uint64_t bits, SourceLine at);
    // A vector of elements in one access; each of them is then told by element(). `vector`: index in vectors.
    void load_vector(ThreadTrace& t, std::uint32_t vector, unsigned vector_bytes, SourceLine at);
    Origin element(ThreadTrace& t, std::uint32_t element, std::uint64_t bits, SourceLine at);
    // Output `index` of this launch, read back; that block must have ended. `told`: with its flag, as told.
    Origin partial(ThreadTrace& t, std::uint32_t index, std::uint64_t bits, SourceLine at, bool told = false);
    // The ticket a block draws as it arrives: an atomic on a counter of the grid.
    void ticket(ThreadTrace& t, SourceLine at);
    Origin identity(ThreadTrace& t, std::uint64_t bits, SourceLine at);
    Origin combine(ThreadTrace& t, Origin left, Origin right, std::uint64_t bits, SourceLine at);
    // Of two values, before they are combined with others by a sum: 0, its identity, stays 0.
    Origin product(ThreadTrace& t, Origin left, Origin right, std::uint64_t bits, SourceLine at);
    void output(ThreadTrace& t, OutputTo to, std::uint32_t index, Origin value, SourceLine at);
    // A vector of outputs in one access; each of them is then told by element_put(). `vector`: index in vectors.
    void store_vector(ThreadTrace& t, std::uint32_t vector, unsigned vector_bytes, SourceLine at);
    void element_put(ThreadTrace& t, std::uint32_t index, Origin value, SourceLine at);
    void shuffle(ThreadTrace& t, ShuffleKind kind, unsigned delta, unsigned width, SourceLine at);
    void warp_barrier(ThreadTrace& t) { ++t.warp_epoch; }
    // The lanes exchange values within a recorded instruction, which is no shuffle of its own.
    void lanes_meet(ThreadTrace& t) { ++t.shuffles; }
    // The lane is active in its step, though another lane may make the combine.
    void takes_part(const ThreadTrace& t) {
        Masks& m = masks(t.step, t.warp);
        const std::uint32_t lane = 1U << t.lane;
        if ((m.combine & lane) == 0) {
            if (m.combine == 0) {
                m.path = t.path;
            }
            m.other |= m.path != t.path ? lane : 0;
            m.combine |= lane;
        }
    }
    // The thread arrives at a block barrier, where the paths of its warp join again, in the furthest step of the block.
    void arrive(ThreadTrace& t) {
        t.step = meeting_;
        ++t.interval;
        t.path = 0x85EBCA6BU * (t.interval + 1U);
        t.ordinal = {};
    }
    // A block barrier passed in this thread's step: call for one thread a barrier.
    void barrier(const ThreadTrace& t, SourceLine at);

    // The thread waits for ever at a barrier. Call before end_block, threads in order.
    void stall(const ThreadTrace& t, StallKind kind, std::uint32_t expected, SourceLine at);

    // Outputs of the last ended block in order of execution, with what the next launch must know of them.
    struct Emitted {
        std::uint32_t index;
        OutputTo to;
        PartialMeta meta;
    };
    const std::vector<Emitted>& emitted() const { return emitted_; }
    // What all outputs of all blocks so far reach: leaves, each once, and the greatest depth.
    const PartialMeta& reached() const { return reached_; }

    // Takes over what another recorder of the same launch recorded.
    void append(Recorder&& other);
    // Fills steps, counters and the tables of the window.
    void finish(Launch& launch);

  private:
    struct Slot { // one warp request while its lanes pass it
        std::uint16_t step, ordinal;
        std::uint32_t path;
        AccessKind kind;
        SourceLine line;
        std::uint32_t mask;
        unsigned bytes; // a lane
        std::array<std::uint32_t, kWarpSize> index;
        std::array<std::uint32_t, kWarpSize> sequence; // accesses of the lane before this one; of full blocks
        bool is_of(const ThreadTrace& t, AccessKind access, std::uint16_t number, unsigned size) const {
            return step == t.step && path == t.path && ordinal == number && kind == access && bytes == size;
        }
    };
    struct Masks { // lanes of a warp in a step
        std::uint32_t combine = 0, load = 0, store = 0;
        std::uint32_t path = 0;  // of the first lane that combined
        std::uint32_t other = 0; // lanes that combined elsewhere, on another path
        // Lanes that combine on another path than the lowest, whichever came first; of two paths.
        std::uint32_t beside_lowest() const {
            return (other & combine & (~combine + 1)) != 0 ? combine & ~other : other;
        }
    };
    struct ShuffleSlot {
        Shuffle shuffle;
        std::uint16_t number; // shuffles that its lanes have passed
        std::uint32_t path;
    };
    struct PendingOutput {
        std::uint32_t index;
        OutputTo to;
        std::uint16_t step, thread;
        Origin value;
        SourceLine line;
    };
    struct FullBlock { // a block of the window; steps are ids until finish()
        std::uint32_t block = 0;
        std::vector<Masks> masks; // [step][warp]
        BlockNodes nodes;
        std::vector<PendingOutput> outputs;
        std::vector<Barrier> barriers;
        std::vector<Hazard> hazards;
        std::vector<Stall> stalls;
        std::vector<KeptRequest> requests;
        std::vector<std::uint32_t> indices, sequences; // of the lanes of each request, from its first_index on
        std::vector<Shuffle> shuffles;
        void renumber(const std::vector<std::uint16_t>& steps, std::size_t count, unsigned warps);
    };

    // Here, as it runs at every access of every thread: mostly the slot is the one expected.
    void access(ThreadTrace& t, AccessKind kind, std::uint32_t index, SourceLine at, unsigned bytes) {
        const std::size_t space = is_shared(kind) ? 0 : 1;
        const bool expected = t.slot < slots_used_ && slots_[t.slot].is_of(t, kind, t.ordinal[space], bytes);
        Slot& slot = expected ? slots_[t.slot] : find_slot(t, kind, at, bytes);
        const std::uint32_t bit = 1U << t.lane;
        if (full_) {
            slot.sequence[t.lane] = t.accesses;
        }
        slot.mask |= bit;
        slot.index[t.lane] = index;
        ++t.slot;
        ++t.ordinal[space];
        ++t.accesses;
    }
    void note_shared(const ThreadTrace& t, std::uint32_t word, bool writes, SourceLine at) {
        hazards_.note({word, t.thread, t.step, t.warp_epoch, t.shuffles, at, writes});
    }
    Origin operation(ThreadTrace& t, BlockNodes::Operation what, Origin left, Origin right, std::uint64_t bits,
                     SourceLine at);
    static void enter_path(ThreadTrace& t, std::uint32_t from, std::uint32_t turn) {
        t.path = from * 0x9E3779B1U + turn;
        t.ordinal = {};
    }
    Slot& find_slot(ThreadTrace& t, AccessKind kind, SourceLine at, unsigned bytes);
    void flush_slot(const Slot& slot);
    void grow();
    void count_warps();
    static std::uint32_t active_lanes(StepKind kind, const Masks& m);
    std::uint32_t existing_lanes(unsigned warp) const;
    Masks& masks(std::uint16_t step, unsigned warp) { return masks_[step * warps_ + warp]; }
    void write_steps(Launch& launch, const std::vector<std::uint16_t>& order) const;
    void write_block(Launch& launch, FullBlock& block) const;
    static void write_nodes(Launch& launch, const std::vector<FullBlock>& blocks);

    RecorderSetup setup_;
    unsigned warps_;
    bool full_ = false;
    std::uint32_t block_ = 0;
    StepTable steps_;
    std::size_t step_capacity_ = 0;
    std::uint16_t furthest_ = 0;     // step that any thread of the block has entered
    std::uint16_t meeting_ = 0;      // the same at the last barrier
    std::vector<Counters> counters_; // by step id
    std::vector<Masks> masks_;       // of the block
    std::vector<Slot> slots_;        // of the warp
    std::size_t slots_used_ = 0;
    unsigned slot_warp_ = 0;
    std::vector<ShuffleSlot> shuffle_slots_;
    HazardFinder hazards_, array_hazards_;
    std::uint64_t array_first_ = 0;
    std::vector<Hazard> found_;
    std::vector<Stall> stalls_; // of the block
    std::uint32_t stalled_blocks_ = 0;
    bool reads_partials_ = false; // a block reads what others put out
    BlockNodes nodes_;
    std::vector<PendingOutput> outputs_;
    std::vector<PendingOutput> array_outputs_; // by word: what was stored last; index kNone: nothing
    std::vector<Origin> published_;
    std::uint32_t aggregates_seen_ = 0;     // by the block
    std::vector<std::uint32_t> look_backs_; // by block
    std::vector<Emitted> emitted_;
    PartialMeta reached_{0, 0};
    FullBlock kept_now_;
    std::vector<FullBlock> kept_;
};

} // namespace warptree
