// A warp while it runs. Its lanes go together as far as they can: lanes that part at a branch are fragments, which meet again
// where the program says (Block::meet). A fragment that waits, at a barrier or for a word that another must write, lets the
// others go on, as hardware does since Volta (independent thread scheduling).
#pragma once

#include "app/compile/program.hpp"
#include "app/simt/lanes.hpp"
#include "app/simt/prepared.hpp"
#include "app/trace/record/data_flow.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace warptree::simt {

// A function that lanes of the warp are in.
struct Frame {
    const Body* body = nullptr;
    const compile::FunctionCode* code = nullptr; // of the body
    std::uint32_t function = 0;
    std::vector<Row> rows;
    std::vector<Row> tags;            // row 0 stays empty
    std::vector<std::uint8_t> tagged; // by tag row: some lane may have one
    Frame* caller = nullptr;
    std::uint32_t call = 0;  // instruction of the caller
    std::uint32_t local = 0; // bytes of the lanes' local memory that belong to callers
};

// Where fragments that parted meet.
struct Meeting {
    Frame* frame = nullptr;
    std::uint32_t block = compile::kNone; // kNone: behind the call that entered the frame
    std::uint32_t expected = 0, arrived = 0;
    Meeting* parent = nullptr;
};

enum class State : std::uint8_t { ready, at_barrier, at_warp_barrier, at_grid_barrier };

struct Fragment {
    Frame* frame = nullptr;
    Meeting* meeting = nullptr;
    std::uint32_t pc = 0; // of the frame's code; waiting: of the instruction at which it waits
    std::uint32_t mask = 0;
    State state = State::ready;
    std::uint32_t wants = 0;   // at_warp_barrier: the lanes that it waits for
    std::uint32_t barrier = 0; // at_barrier: its number
    std::uint32_t threads = 0; // and how many threads it asks for; 0: all of the block
    std::uint32_t looks = 0;   // volatile and atomic loads since anything was stored: it may be waiting for a word
    // Where it goes on once it runs: along an edge that it has parted by, or in a block where it has met others.
    std::uint32_t pending = 0; // lanes whose part of an atomic waits; 0: the instruction has not begun
    std::uint32_t entering = compile::kNone, resumes = compile::kNone;
};

struct Warp {
    unsigned number = 0;
    std::uint32_t existing = 0, live = 0; // lanes that have a thread; and have not ended
    std::vector<Fragment> fragments;      // the last goes first
    std::vector<std::unique_ptr<Frame>> frames, spare_frames;
    std::vector<std::unique_ptr<Meeting>> meetings, spare_meetings;
    std::vector<std::byte> local;        // lane after lane
    std::vector<record::Tag> local_tags; // by word, lane after lane
    std::uint32_t local_bytes = 0;       // a lane
    bool fenced = false;                 // a fence since the last store

    // The combining loop that it is in, and where.
    std::uint32_t stage_loop = compile::kNone;
    Frame* stage_frame = nullptr;
    std::int64_t turns = 0; // of a loop without a variable

    bool ended() const { return live == 0; }
};

} // namespace warptree::simt
