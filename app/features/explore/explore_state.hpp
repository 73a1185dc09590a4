// The keys of a state string for the Explore screen, besides trace options (request::kState):
//
//   step         the step counted over all launches from 0, as in `render --step`; default 0
//   launch       of a program: the launch, from 1, within which step counts; default: the first that is
//                wrong, else the one with the most combines
//   part         1, 2, 3: only the loads, loads and combines, or all but the barrier that ends the step have happened;
//                default: the whole step
//   select       KIND:LAUNCH:BLOCK:INDEX[:STEP], what a click has selected; KIND is node, thread, warp, step, request,
//                lane, block, launch or word
//   shown-block, warp, access   what the warp grid and the banks show, if that was chosen
//   array        the array whose elements are shown in the place of the banks
//   full         the panel that fills the window: tree, warps, banks, memory, source, step, strategies or parameters
//   code         beside the source: ptx, sass or ptx:sass
//   code-at      the line whose counterparts are highlighted: cuda, ptx or sass and its row, as in ptx:12
//   frame        what fills the tree: all, block (the shown one), warp, values (its first columns, wide enough for their
//                values), or work (what that warp combines, step by step); default: all, or values where it is a file or
//                one block and too dense for values
//   zoom, pan    of the tree, in place of frame where the user moved it: a factor, optionally with the most that rows
//                grow (FACTOR:ROWS); and X:Y in pixels
//   source       the text of a kernel file, packed (app/document/packed_text.hpp); file is then its name, without a folder
//   file         a trace file in place of SUBJECT and trace options; or a kernel file (.cu) with its options
//                (request::kFileState)
#pragma once

#include "app/document/state_string.hpp"
#include "app/features/explore/explore.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace warptree::session {

// A state of the Explore screen.
struct ExploreState {
    RunOptions options;   // resolvable
    std::string file;     // shown instead of running the options
    bool carried = false; // the text in options.kernel is shown, as of a file of that name that is not saved
    std::uint32_t step = 0;
    std::uint32_t launch = 0; // from 1, within which `step` counts; 0: it counts over all
    bool placed = true;       // step or launch is said; else a program begins at its most telling launch
    unsigned part = 4;        // 1 … 3, thirds of the step that have happened; 4: and its barrier, if there is one
    scene::Target selected;
    std::optional<std::uint32_t> block;          // of the warp grid
    std::uint32_t warp = kNone, request = kNone; // of the banks, as in Explore
    std::string array;                           // whose elements are shown
    std::optional<scene::Frame> frame;           // nullopt: all, or as much as can be read
    scene::Camera camera;                        // under Frame::free
    std::string full;                            // the panel that fills the window; empty: none
    CodeView code;                               // PTX and SASS beside the source
    friend bool operator==(const ExploreState&, const ExploreState&) = default;
};

// Throws OptionError for what Explore does not know or cannot run.
ExploreState explore_state(const StateString& state);
ExploreState explore_state(const Explore& explore); // as it is now
StateString state_string(const ExploreState& state);
// With the text of its kernel file, so that whoever gets it needs no file. nullopt: it shows none, or its text is too long
// for that (kMostPacked).
std::optional<StateString> state_with_source(const ExploreState& state);

// Goes to the state's place in the current trace. Returns what the trace lacks, as one line; empty: nothing.
std::string go_to(const ExploreState& state, Explore& explore);

} // namespace warptree::session
