// Barriers of one block: where its warps wait for each other, and which threads have arrived.
#pragma once

#include "app/views/views.hpp"

#include <cstdint>
#include <vector>

namespace warptree::scene {

struct BarrierLine {
    std::uint32_t step = 0; // the step that it ends
    SourceLine line = SourceLine::none();
    std::vector<std::uint32_t> arrived; // lanes, by warp
    std::uint32_t threads = 0;          // of them
    std::uint32_t expected = 0;         // threads that have to arrive
    bool passed = true;                 // else those that arrived wait forever
    bool takes_all = true;              // all of the block, as __syncthreads; else some, as a named barrier
    bool missing = false;               // there is none, though threads race across the end of the step: nobody arrives
};

// In step order, each as often as it completed; those that never complete come last in their step.
std::vector<BarrierLine> barrier_lines(const Launch& launch, std::uint32_t block);

// How a barrier looks in a view: a piece of line for each run of neighbouring warps that arrived.
struct BarrierLook {
    const ViewContext* context = nullptr;
    std::uint32_t current = 0; // step; steps before it are complete
    float width = 1.5F;        // of the line, pixels
};
struct Span {
    float from = 0, to = 0; // pixels
};
// `warps`: the horizontal extent of each warp; the line lies at `y`.
void add_barrier(const BarrierLook& look, const BarrierLine& barrier, const std::vector<Span>& warps, float y,
                 Layer& layer);
// "128 of 128 threads wait for each other at line 41 of block_tree.hpp" and, if it never completes, why.
std::string barrier_text(const Trace& trace, const BarrierLine& barrier);

} // namespace warptree::scene
