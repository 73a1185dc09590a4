// One block while it runs.
#pragma once

#include "app/simt/attempt.hpp"
#include "app/simt/clocks.hpp"
#include "app/simt/cluster.hpp"
#include "app/simt/device_print.hpp"
#include "app/simt/fences.hpp"
#include "app/simt/finding.hpp"
#include "app/simt/history.hpp"
#include "app/simt/lane_stores.hpp"
#include "app/simt/launch_setup.hpp"
#include "app/simt/prepared.hpp"
#include "app/simt/shared_memory.hpp"
#include "app/simt/stores.hpp"
#include "app/simt/warp.hpp"
#include "app/trace/record/block_recorder.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace warptree::simt {

// Threads that wait forever.
struct Wait {
    std::uint32_t warp = 0, mask = 0, location = 0, segment = 0;
    StallKind kind = StallKind::barrier;
    std::uint32_t expected = 0; // threads that would have to arrive
};

enum class Outcome : std::uint8_t {
    ended,   // all its threads have exited
    waits,   // for another block: it polls memory, or is at a barrier of the grid or the cluster
    stopped, // a finding ended it
    stuck    // its threads wait for one another
};

class BlockRun {
  public:
    // `stores`: receives its stores to global memory. attempt: what is kept instead of a history; null: there is one.
    BlockRun(const LaunchSetup& setup, const Prepared& prepared, Stores& stores, Attempt* attempt = nullptr);

    // In a launch of blocks that communicate, join_cluster() comes next.
    void begin(std::uint32_t block);
    // Runs until one of these outcomes; call it again after `waits`.
    Outcome run();
    // All blocks have arrived at the grid barrier: lets this one continue.
    void pass_grid_barrier();
    bool at_grid_barrier() const { return at_grid_barrier_; }
    // cluster.cpp. A block that is in no cluster is one of its own.
    void join_cluster(std::shared_ptr<Cluster> cluster, std::uint32_t rank);
    const std::shared_ptr<Cluster>& cluster() const { return cluster_; }
    const ClusterSide& cluster_side() const { return side_; }
    Fences& fences() { return fences_; }
    // All its threads have exited or arrived there.
    bool arrived_at_cluster_barrier() const;
    // All of the cluster have arrived at the barrier of that number: what they did is known to whoever waits.
    void pass_cluster_barrier(std::uint32_t number);
    void leave_cluster_barrier();
    // After ended: reports who may use its shared memory still.
    void check_visits();
    // Number of changes so far that other blocks may see or wait for.
    std::uint64_t progress() const { return progress_; }
    // run() has returned something other than `waits`.
    bool finished() const { return finished_; }
    // Of an attempt: something may have to be told.
    bool doubtful() const { return doubtful_ || !findings_.list().empty() || clocks_.now() > kMostTime; }
    // Reports that it waits forever, as do all resident blocks, while `ended` blocks have ended and `waiting` have not
    // started.
    struct Others {
        std::uint32_t resident = 0, ended = 0, waiting = 0;
    };
    void report_waiting_for_blocks(const Others& others);
    // Whether its first thread has exited, without which the block never arrives at a grid barrier.
    bool first_thread_ended() const { return (warps_.front().live & 1U) == 0; }
    // No block can go on otherwise: see reconvergence.cpp. False: none of its lanes waits for others to reconverge.
    bool let_waiting_lanes_go();
    // The next access that waits for memory to match the GPU's log stops waiting.
    void force() { forced_ = true; }
    // After ended, stopped or stuck: completes the recording.
    void end();

    std::uint32_t block() const { return block_; }
    record::BlockRecorder& recorder() { return recorder_; }
    Findings& findings() { return findings_; }
    const std::vector<Wait>& waits() const { return waits_; }
    std::uint64_t instructions() const { return instructions_; } // warp-level
    std::uint64_t lane_instructions() const { return lane_instructions_; }
    const std::string& printed() const { return printed_; }        // at most as much as is kept of the launch
    std::uint64_t printed_bytes() const { return printed_bytes_; } // kept or not
    // It ended as it should, and what is recorded of it stays. Throws OptionError if it exceeds the budget.
    void keep_recording() {
        charge_recording();
        recorded_ = 0;
    }
    std::uint32_t shared_bytes() const { return shared_.bytes(); }

  private:
    friend class Tags;
    using Instruction = compile::Instruction;

    Outcome run_on();

    // execute.cpp: runs the current fragment until it waits or ends, or its turn is over.
    template <bool kFull> void execute_as();
    void execute_counting();
    void execute_full();
    template <class U, class F> void fused(const Instruction& i, F&& f);
    template <class U> void choose(const Instruction& i);
    template <class U> void function(const Instruction& i);

    // scheduling.cpp
    void run_warp(Warp& warp);
    bool choose_fragment();
    bool release_warp_barrier();
    bool release_barriers();
    bool complete_barrier(std::uint32_t number);
    void turn_over();
    bool given_up() const; // nobody wants its result any more
    void check_limits();
    const Fragment& last_run() const;
    void check_within_instruction();
    void worked(std::uint64_t bytes); // by one instruction: ends the turn where that is as much as a turn takes
    void charge_recording();
    std::uint64_t recorded_bytes() const; // memory of what is recorded and noted of it
    const std::vector<unsigned>& turn_order();
    void barrier(const Instruction& i);
    void sync_warp(const Instruction& i);
    void synced_lanes(std::uint32_t mask);
    void grid_barrier(const Instruction& i);
    bool waits_for_cluster() const;
    void wait(State state);
    void looked(bool is_volatile);

    // control.cpp
    void load_fragment();
    void set_mask(std::uint32_t mask);
    void drop_fragment();
    void make_moves(const compile::Edge& edge, std::uint32_t mask);
    void enter_block(std::uint32_t block, std::uint32_t begins);
    void begin_statement();
    void go(std::uint32_t edge, std::uint32_t mask);
    void note_branch(std::uint32_t location); // of the current fragment
    void branch(const Instruction& i, std::uint32_t taken);
    void branch_switch(const Instruction& i);
    void part(const std::uint32_t* edges, const std::uint32_t* masks, unsigned count);
    void end_lanes(std::uint32_t mask);
    std::int64_t signed_value(ValueType type, std::uint32_t row, unsigned lane) const;
    record::OuterValue outer_value(std::uint32_t loop) const;

    // reconvergence.cpp
    struct Place { // of a reconvergence point, as Reconvergence::block
        std::uint32_t function = 0, block = 0;
        friend bool operator==(const Place&, const Place&) = default;
    };
    Reconvergence* new_reconvergence(Frame* frame, std::uint32_t block, std::uint32_t expected, Reconvergence* parent);
    void release_reconvergence(Reconvergence* reconvergence);
    void arrive(Reconvergence* reconvergence, std::uint32_t mask);
    Fragment resumed(Reconvergence* reconvergence);
    Fragment passed(Reconvergence* reconvergence);
    bool is_passed_alone(const Place& place) const;
    void withdraw(std::uint32_t lanes, const Reconvergence* stop);

    // calls.cpp
    Frame* enter_function(std::uint32_t function, Frame* caller);
    void release_frame(Frame* frame);
    void reserve_local(std::uint32_t bytes);
    void call(const Instruction& i) { call(i, program_.calls[i.c].function); }
    void call(const Instruction& i, std::uint32_t function);
    void call_pointer(const Instruction& i);
    static void pass_value(const Frame& from, const compile::Value& source, Frame& to, const compile::Value& target,
                           std::uint32_t mask);
    void return_from();

    // cluster.cpp
    struct Visit { // by a thread of another block of the cluster
        std::uint32_t block = 0, thread = 0, time = 0, location = 0, segment = 0;
        std::uint64_t offset = 0;
        bool writes = false;
    };
    void cluster_barrier(const Instruction& i);
    void misuses_cluster_barrier(const Instruction& i, std::uint32_t mask, const char* why);
    void report_ended_mates(const Instruction& barrier, Warp& w, unsigned lane);
    void pass_cluster_wait(Warp& w, std::uint32_t mask);
    bool ordered_by_cluster(const Note& before, std::uint32_t thread) const;
    std::vector<Release::Mate> mates(std::uint32_t thread) const;
    void visit(const Instruction& i, BlockRun& owner, unsigned lane, std::uint64_t offset, bool writes);
    void report_visit(const BlockRun& owner, const Visit& v, const char* what, bool first);
    std::string array_of(const BlockRun& owner, std::uint32_t offset, std::int64_t& index,
                         std::uint64_t& elements) const;
    record::Tag cluster_tag(BlockRun& owner, const Instruction& i, unsigned lane, std::uint32_t place,
                            std::uint64_t bits, ValueType type);

    // memory_addresses.cpp
    struct LaneOffsets { // the lanes of an access to the same memory
        compile::Space space = compile::Space::unknown;
        std::uint32_t allocation = 0;
        std::byte* data = nullptr;                // local memory: lane 0's
        BlockRun* owner = nullptr;                // shared memory: whose it is
        alignas(64) std::uint64_t offset[kLanes]; // bytes from the start of the allocation, shared or local memory
        alignas(64) std::uint32_t index[kLanes];  // the same in units of the access size
    };
    void addresses(const Instruction& i, const compile::Access& access, std::uint64_t* address) const;
    // In Program::accesses, of a load, a store or an atomic operation; kNone: another instruction.
    std::uint32_t access_of(const Instruction& i) const;
    // The first lane that goes past the array which the instruction names, the thread's own or a static one in shared memory;
    // kLanes: none does.
    unsigned outside_of_array(const Instruction& i, const std::uint64_t* address, std::uint32_t mask,
                              unsigned size) const;
    std::uint32_t together(const Instruction& i, const std::uint64_t* address, std::uint32_t rest, unsigned size,
                           bool writes, LaneOffsets& to);
    bool is_remote(const LaneOffsets& at) const { return at.space == compile::Space::shared && at.owner != this; }
    std::uint64_t base_of(const LaneOffsets& at) const; // the address of offset 0, of shared or global memory
    // Returns what keep_stored() refers to.
    std::uint32_t request(const Instruction& i, AccessKind kind, unsigned size, const LaneOffsets& at,
                          std::uint32_t mask);
    // Of a request that is kept: what its lanes store, value(lane), of `bytes`; one of a vector's parts.
    template <class Value>
    void keep_stored(std::uint32_t request, unsigned bytes, unsigned part, unsigned parts, std::uint32_t mask,
                     Value&& value) {
        if (request == record::BlockRecorder::kNotKept) {
            return;
        }
        std::array<std::uint64_t, kLanes> bits{};
        each_active(mask, [&](unsigned l) { bits[l] = cut(value(l), bytes); });
        recorder_.stored(request, part, parts, mask, bits);
    }

    // memory_loads.cpp
    void load(const Instruction& i);
    void load_group(const Instruction& i, const compile::Access& a, LaneOffsets& at, std::uint32_t group);
    record::Tag load_tag(const Instruction& i, const LaneOffsets& at, unsigned lane, std::uint64_t offset,
                         std::uint64_t bits, ValueType type);
    bool take_leaves(const Instruction& i, const compile::Access& a, const LaneOffsets& at, std::uint32_t group,
                     unsigned component, record::Tag* tags);
    void see_own_stores(const Instruction& i, const compile::Access& a, const LaneOffsets& at, std::uint32_t group);
    record::Tag shared_tag(unsigned lane, std::uint32_t place);
    void note_loads(const Instruction& i, const compile::Access& a, const LaneOffsets& at, std::uint32_t group);
    void check_written(const Instruction& i, const compile::Access& a, const LaneOffsets& at, std::uint32_t group);

    // memory_stores.cpp
    void store(const Instruction& i);
    void store_shared(const Instruction& i, const compile::Access& a, const LaneOffsets& at, std::uint32_t group);
    void note_stores(const Instruction& i, const compile::Access& a, const LaneOffsets& at, std::uint32_t group);
    void store_scalar(const Instruction& i, const compile::Access& a, const LaneOffsets& at, unsigned lane,
                      std::uint64_t offset, std::uint64_t bits, record::Tag tag);
    std::uint16_t changes(SharedMemory& memory, std::uint32_t place, std::uint64_t bits, unsigned bytes) const;
    std::uint16_t changes(const std::byte* there, std::uint64_t bits, unsigned bytes) const;
    void put_shared(BlockRun& owner, std::uint32_t place, std::uint64_t bits, unsigned bytes, record::Tag tag);
    void show_stores(); // makes the lanes' stores visible to one another

    // races.cpp
    static std::uint16_t note_flags(const compile::Access& a);
    Note note_of(const Instruction& i, unsigned flags) const;
    void note(const Instruction& i, Note now, const LaneOffsets& at, unsigned lane, std::uint64_t offset, unsigned size,
              const void* value);
    void note_shared(const Instruction& i, Note now, BlockRun& owner, unsigned lane, std::uint32_t offset,
                     unsigned size, const void* value);
    void note_global(const Instruction& i, Note now, std::uint32_t allocation, unsigned lane, std::uint64_t offset,
                     unsigned size, const void* value);
    bool ordered(const Note& before, const Note& now, std::uint64_t place) const;
    bool ordered_by_fences(const Note& before, const Note& now, std::uint64_t place, bool as_if) const;
    struct Met { // an earlier access that an access races with, at a byte of the memory
        Note before;
        Severity severity = Severity::fault;
        std::uint64_t offset = 0;
    };
    // owner: of the shared memory; null: global memory.
    void report_races(const Instruction& i, const Note& now, BlockRun* owner, std::uint32_t allocation, unsigned lane,
                      Word& word);
    Flags& flags_of(const LaneOffsets& at) {
        return at.space == compile::Space::shared ? at.owner->shared_flags_ : stores_.flags();
    }
    static std::uint64_t flag_place(std::uint32_t allocation, std::uint64_t offset) {
        return std::uint64_t{allocation} << 40 | offset / 4;
    }
    std::uint64_t shared_place(std::uint64_t offset) const {
        return flag_place(kSharedMemory, offset) | std::uint64_t{cluster_rank_} << 32;
    }
    static std::uint64_t flag_place(const LaneOffsets& at, std::uint64_t offset) {
        return at.space == compile::Space::shared ? at.owner->shared_place(offset) : flag_place(at.allocation, offset);
    }
    void release(const LaneOffsets& at, unsigned lane, std::uint64_t offset, std::uint64_t value, std::uint16_t flags,
                 bool chains);
    void acquire(const LaneOffsets& at, unsigned lane, std::uint64_t offset, std::uint16_t flags, Look look);

    // attempt_access.cpp
    void doubt();
    bool comes_before(const Last& last, std::uint32_t by) const;
    bool may_read(const Last& write, Last& read, std::uint32_t by, std::uint32_t now) const;
    bool may_write(Last& write, Last& read, std::uint32_t by, std::uint32_t now, bool atomic) const;
    template <bool kWrites>
    bool may_access_shared(const LaneOffsets& at, std::uint32_t group, unsigned size, bool atomic);
    template <bool kWrites>
    bool may_access_global(const LaneOffsets& at, std::uint32_t group, unsigned size, bool atomic);
    bool may_load(const LaneOffsets& at, std::uint32_t group, unsigned size);
    void mark_stored(const LaneOffsets& at, std::uint32_t group, unsigned size);
    void try_load(const Instruction& i);
    void try_store(const Instruction& i);
    void try_atomic(const Instruction& i);

    // atomics.cpp
    void atomic(const Instruction& i);
    bool leaves_as_is(const compile::Atomic& what, const compile::Access& access, unsigned lane);
    bool atomic_as_logged(const Instruction& i, const compile::Atomic& what, const compile::Access& access,
                          const LaneOffsets& at, std::uint32_t group);
    void atomic_lane(const Instruction& i, const compile::Atomic& what, const compile::Access& access,
                     const LaneOffsets& at, unsigned lane);
    record::Tag tag_put(const Instruction& i, const compile::Atomic& what, const compile::Access& access,
                        unsigned lane);
    record::Tag tag_atomic(const Instruction& i, const compile::Atomic& what, const compile::Access& access,
                           unsigned lane, record::Tag there, std::uint64_t bits);

    // follow.cpp: follows a GPU's log
    bool follows() const { return setup_.log != nullptr; }
    bool logs() const { return setup_.own_log != nullptr; }
    void log(unsigned lane, compile::LogKind kind, unsigned bytes, std::uint64_t address, std::uint64_t value);
    void log_scalars(const compile::Access& a, compile::LogKind kind, const LaneOffsets& at, std::uint32_t row,
                     std::uint32_t group);
    void log_exchanged(compile::LogKind kind, bool wide, std::uint32_t row);
    const compile::LoggedEvent* logged(unsigned lane, compile::LogKind kind, std::uint32_t ahead);
    const compile::LoggedEvent* take_logged(const Instruction& i, unsigned lane, compile::LogKind kind);
    void tell_overflow(const Instruction& i);
    void report_difference(const Instruction& i, unsigned lane, std::string text);
    void retry_later();
    bool stop_waiting();
    bool memory_agrees(const compile::Access& a, const LaneOffsets& at, std::uint32_t group);
    void take_loaded(const Instruction& i, const compile::Access& a, std::uint32_t group);
    void compare_with_stores(const Instruction& i, const compile::Access& a, const LaneOffsets& at,
                             std::uint32_t group);
    void take_exchanged(const Instruction& i, compile::LogKind kind, bool wide, ValueType type);
    unsigned next_to_change(const LaneOffsets& at, unsigned bytes, std::uint32_t rest);
    void set_value(std::uint32_t row, unsigned lane, bool wide, std::uint64_t bits);
    static std::string difference(ValueType type, std::uint64_t gpu, std::uint64_t own);

    // copies.cpp
    void copy_memory(const Instruction& i);
    void fill_memory(const Instruction& i);
    void copy_async(const Instruction& i);
    void copy_bytes(const Instruction& i, const std::uint64_t* to, const std::uint64_t* from, unsigned bytes,
                    std::uint32_t mask);
    void heap(const Instruction& i);
    std::uint64_t heap_allocate(const Instruction& i, unsigned lane, std::uint64_t size);

    // exchange.cpp
    void check_mask(const Instruction& i, std::uint32_t mask_row);
    void shuffle(const Instruction& i);
    void vote(const Instruction& i);
    void tag_flags(const Instruction& i);
    void count_flags(const Instruction& i);
    void match(const Instruction& i);
    void reduce_warp(const Instruction& i);
    void special(const Instruction& i);

    // tags.cpp: the data flow of the values just computed
    void tag_copy(std::uint16_t dst, std::uint16_t src) {
        if (dst != 0) {
            tag_copy_row(dst, src);
        }
    }
    void tag_copy_row(std::uint16_t dst, std::uint16_t src);
    void tag_clear(std::uint16_t dst);
    record::Tag* tag_row(std::uint16_t tag); // prepared for writing
    record::Tag tag_at(std::uint16_t tag, unsigned lane) const {
        return tagged_[tag] != 0 ? tags_[tag].lane[lane] : record::kNoTag;
    }
    std::uint32_t count_combines(const Instruction& i, Operation operation, bool idempotent, record::Tag* result);
    void tag_binary(const Instruction& i, bool wide);
    void tag_fma(const Instruction& i, bool wide);
    // A value of that type made of one other; in the lanes of `same` it is the same.
    void tag_function(const Instruction& i, ValueType type, std::uint32_t same = 0);
    template <class From, class Integer> std::uint32_t whole_already(const Instruction& i) const;
    void tag_select(const Instruction& i);
    void keep_choice(const compile::Keep& keep, std::uint32_t mask);
    record::Tag tag_selection(const compile::Selection& s, unsigned lane, record::Tag chosen, std::uint64_t bits);
    record::Tag make_node(Operation operation, record::Tag left, record::Tag right, unsigned lane, std::uint64_t bits,
                          ValueType type, std::uint32_t location, record::Role role);
    // The identity as an operand, from `row`; if read from shared memory, attributed to the thread that stored it.
    record::Tag make_identity(unsigned lane, std::uint32_t row, std::uint64_t bits, ValueType type,
                              std::uint32_t location);
    void note_read(std::uint32_t mask, const std::uint64_t* offsets);
    const std::uint32_t* offsets_read(std::uint32_t row, unsigned lane) const;

    // waits.cpp
    std::uint32_t live_threads() const;
    void report_divergent_barriers(Warp& warp, std::uint32_t number);
    void report_ended_before(const Instruction& barrier, const std::vector<std::uint32_t>& within);
    void report_two_places();
    void report_lockstep(Warp& warp, const Reconvergence& waits);
    void report_stuck();

    // reporting.cpp
    void find(Finding finding, const Instruction& i, unsigned lane);
    void report_unwritten(Finding finding, const Instruction& i, unsigned lane, std::uint32_t allocation,
                          std::uint64_t place);
    void note_written(const Instruction& i, unsigned lane, std::uint32_t allocation, std::uint64_t place);
    void report_endless(const Fragment& at);
    void report_limit(std::string text);          // at the running fragment, if it has not ended
    Finding finding_at(const Fragment& at) const; // of a running fragment, with its loop's variable as text
    void report_outside(const Instruction& i, std::uint64_t address, unsigned lane, unsigned size, bool writes);
    std::uint32_t whole_access(std::uint32_t access, unsigned size, unsigned lane) const;
    // The shared array that a byte belongs to; null: none.
    const compile::SharedArray* shared_array_at(std::uint32_t offset) const;
    // Its name; sets the element's index and the number of elements.
    std::string array_at(std::uint32_t offset, std::int64_t& index, std::uint64_t& elements) const;
    void trap(const Instruction& i);
    void print(const Instruction& i);
    void assert_fail(const Instruction& i);
    void watch(const Instruction& i);
    // What is accessible from a generic address on, in any memory; empty: nothing.
    std::span<const std::byte> bytes_at(std::uint64_t address, unsigned lane);
    DeviceText text_at(std::uint64_t address, unsigned lane, std::size_t most);

    void stop() { running_ = false; }
    std::uint32_t thread(unsigned lane) const { return warp_->number * kLanes + lane; }
    std::uint64_t value_of(std::uint32_t row, unsigned lane, bool wide) const {
        return wide ? values<std::uint64_t>(rows_ + row)[lane] : values<std::uint32_t>(rows_ + row)[lane];
    }

    const LaunchSetup& setup_;
    const compile::Program& program_;
    const Prepared& prepared_;
    Memory& memory_;
    Stores& stores_;
    Attempt* const attempt_;
    const bool bare_;      // LaunchSetup::findings_only
    const bool clustered_; // in clusters of several blocks
    std::shared_ptr<Cluster> cluster_;
    std::uint32_t cluster_rank_ = 0;
    ClusterSide side_;
    std::vector<Visit> visits_; // the latest by each block in each place of the source
    static constexpr std::uint32_t kMostTime = 0xF0000000;
    std::vector<Last> shared_writes_, shared_reads_; // of an attempt, by granule; of earlier blocks before began_
    std::uint32_t began_ = 0;                        // time when the block began
    bool doubtful_ = false;
    record::BlockRecorder recorder_;
    SharedMemory shared_;
    LaneStores lane_stores_; // of the running warp
    Clocks clocks_;
    Fences fences_;
    Flags shared_flags_{stores_.sequences()};
    std::vector<Met> met_; // by the access at hand
    Findings findings_;
    std::vector<Warp> warps_;
    std::vector<Wait> waits_;
    bool read_unwritten_ = false; // a lane has read what nothing has written
    std::string printed_;
    std::uint64_t printed_bytes_ = 0;
    std::uint64_t raced_ = 0;      // races met since the limits were checked for them
    std::uint64_t worked_ = 0;     // bytes since the turn began
    std::uint64_t recorded_ = 0;   // bytes of the memory budget
    std::uint64_t next_check_ = 0; // of the limits, at this count of instructions_
    // The latest reads of shared memory, in blocks recorded in full: which word an operand comes from.
    struct SharedRead {
        const Frame* frame = nullptr;
        std::uint32_t instruction = 0, mask = 0;
        std::array<std::uint32_t, kLanes> offset{};
    };
    std::array<SharedRead, 8> reads_{};
    std::size_t next_read_ = 0;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>, record::Tag>
        identities_; // by offset, and segment and thread of the store
    std::mt19937_64 random_;
    std::uint32_t block_ = 0;
    Extent index_{};
    std::array<std::vector<std::uint32_t>, 3> threads_; // by thread: its place in the block, in x, y, z
    unsigned granule_shift_ = 2;
    std::uint64_t instructions_ = 0, lane_instructions_ = 0, budget_ = 0;
    bool at_grid_barrier_ = false, finished_ = false;
    std::vector<std::uint32_t> followed_; // by thread: log events already used
    std::vector<std::uint8_t> lost_;      // by thread: no longer follows the log
    bool forced_ = false;
    // Reads of what nothing had written, to tell if a thread of the block writes it later.
    struct Unwritten {
        std::uint32_t allocation = 0; // kSharedAllocation: shared memory
        std::uint64_t place = 0;      // byte of shared memory, or element
        std::size_t finding = 0;      // of findings_
    };
    std::vector<Unwritten> unwritten_;
    std::vector<Place> passed_alone_; // where lanes no longer wait for one another
    // Barriers of which it has been said that threads have exited, and how many had not.
    std::vector<std::pair<const Instruction*, std::uint32_t>> ended_before_;
    const std::uint64_t* whole_copy_ = nullptr; // by lane: bytes of the copy or fill that is under way; null: none

    // The running fragment.
    Warp* warp_ = nullptr;
    Fragment fragment_;
    Row* rows_ = nullptr;
    Row* tags_ = nullptr;
    std::uint8_t* tagged_ = nullptr;
    const Instruction* code_ = nullptr;
    LaneMask mask_;
    std::uint32_t lanes_ = 0;            // number in the mask
    std::uint32_t reconverge_block_ = 0; // where it reconverges; kNone: not in this frame
    bool running_ = false;               // false: choose the next fragment
    bool turn_is_over_ = false;          // let other warps run
    std::uint64_t turn_ends_ = 0;        // at this count of instructions_
    std::uint64_t progress_ = 0;         // stores, atomics, barriers
    std::vector<unsigned> turns_;        // order of the warps in this barrier interval
    std::vector<std::uint32_t> early_;   // by barrier: threads that arrived without waiting (bar.arrive)
    struct Arrived {                     // of them: when
        std::uint32_t barrier = 0, warp = 0, time = 0;
    };
    std::vector<Arrived> arrived_early_;
    std::vector<Row> moved_;
    std::vector<std::uint8_t> moved_tagged_;
};

} // namespace warptree::simt
