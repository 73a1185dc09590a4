// A running warp. Lanes that diverge at a branch form fragments, which reconverge at Block::reconverge, the branch's
// immediate post-dominator. While a fragment waits, at a barrier or for a word that another must write, the others run,
// as in hardware since Volta (independent thread scheduling).
#pragma once

#include "app/compile/program/program.hpp"
#include "app/simt/lanes.hpp"
#include "app/simt/prepared.hpp"
#include "app/trace/record/data_flow.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace warptree::simt {

// A call frame, for some lanes of the warp.
struct Frame {
    const Body* body = nullptr;
    const compile::FunctionCode* code = nullptr; // of the body
    std::uint32_t function = 0;
    std::vector<Row> rows;
    std::vector<Row> tags;            // row 0 stays empty
    std::vector<std::uint8_t> tagged; // by tag row: whether some lane may have a tag
    Frame* caller = nullptr;
    std::uint32_t call = 0;  // index of the call instruction in the caller
    std::uint32_t local = 0; // bytes of each lane's local memory used by the callers
};

// Where diverged fragments reconverge.
struct Reconvergence {
    Frame* frame = nullptr;
    std::uint32_t block = compile::kNone; // kNone: after the call that entered the frame
    std::uint32_t expected = 0, arrived = 0;
    std::uint32_t branch = 0; // location of the branch where they diverged; 0: a call
    std::uint32_t around = 0; // as Fragment::around
    Reconvergence* parent = nullptr;
};

enum class State : std::uint8_t { ready, at_barrier, at_warp_barrier, at_grid_barrier, at_cluster_barrier };

struct Fragment {
    Frame* frame = nullptr;
    Reconvergence* reconvergence = nullptr;
    std::uint32_t pc = 0; // in the frame's code; when waiting: of the instruction that waits
    std::uint32_t mask = 0;
    State state = State::ready;
    std::uint32_t wants = 0;            // at_warp_barrier: the lanes it waits for
    std::uint32_t barrier = 0;          // at_barrier: the barrier's number
    std::uint32_t threads = 0;          // and the threads it expects; 0: all of the block
    std::uint32_t looks = 0;            // volatile and atomic loads since the last store: many mean polling
    std::uint32_t branch = 0;           // location of its last branch; 0: none
    std::uint32_t around = 0;           // of the furthest in the text of those around a barrier; 0: none
    std::uint32_t way = compile::kNone; // the edge that it took there; kNone: lanes that took several go on together
    std::uint32_t segment = 0;          // when waiting: in which it arrived; the warp's other lanes may be further
    std::uint32_t request = 0;          // the atomic's: BlockRun::keep_stored()
    std::uint32_t pending = 0;          // lanes whose atomic is still to be done; 0: the instruction has not begun
    // Where it continues: along the edge that it took when diverging, or in the block where it reconverged.
    std::uint32_t entering = compile::kNone, resumes = compile::kNone;
};

struct Warp {
    unsigned number = 0;
    std::uint32_t existing = 0, live = 0; // lanes that have a thread; that have not exited
    // Lanes that have arrived at the cluster's barrier; for which it has completed, and that have not waited there yet.
    std::uint32_t cluster_arrived = 0, cluster_passed = 0;
    std::vector<Fragment> fragments; // the last one runs first
    std::vector<std::unique_ptr<Frame>> frames, spare_frames;
    std::vector<std::unique_ptr<Reconvergence>> reconvergences, spare_reconvergences;
    std::vector<std::byte> local;                      // one lane after another
    std::vector<record::Tag> local_tags;               // by word, one lane after another
    std::uint32_t local_bytes = 0;                     // per lane
    std::array<std::uint32_t, kLanes> left{};          // by lane that has exited: location of its last branch
    std::array<std::uint32_t, kLanes> around{}, way{}; // by lane that has exited: as Fragment's
    // The flags of the ballot that was counted last, and their sums so far by sets of lanes: counts of others of its lanes go on from
    // these.
    std::array<record::Tag, kLanes> flags{};
    std::vector<std::pair<std::uint32_t, record::Tag>> flag_sums;

    // The combining loop that it is in, and the loop's frame.
    std::uint32_t stage_loop = compile::kNone;
    Frame* stage_frame = nullptr;
    std::int64_t turns = 0; // iterations so far of a loop without a loop variable
    bool apart = false;     // its lanes have met different barriers: they have no iteration in common

    bool ended() const { return live == 0; }
};

} // namespace warptree::simt
