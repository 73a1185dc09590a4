// Barriers of one block: where its warps wait for each other, and which threads arrive.
#pragma once

#include "app/views/views.hpp"

#include <cstdint>
#include <vector>

namespace warptree::scene {

struct BarrierLine {
    std::uint32_t step = 0; // the step that it ends
    SourceLine line = SourceLine::none();
    std::vector<std::uint32_t> arrived; // lanes, by warp
    std::uint32_t threads = 0;          // in `arrived`
    std::uint32_t expected = 0;         // threads that must arrive
    bool passed = true;                 // else the threads that arrived wait forever
    bool takes_all = true;              // the whole block, as __syncthreads(); else part of it, as a named barrier
    bool missing = false;               // no barrier, although threads race across the end of the step; no arrivals
};

// In step order, one entry per completion; those that never complete come last in their step.
std::vector<BarrierLine> barrier_lines(const Launch& launch, std::uint32_t block);

// How a barrier is drawn: a line segment for each run of adjacent warps that arrived.
struct BarrierLook {
    const ViewContext* context = nullptr;
    std::uint32_t current = 0; // the step shown; steps before it are complete
    float width = 1.5F;        // of the line, pixels
};
struct Span {
    float from = 0, to = 0; // pixels
};
// `warps`: the horizontal extent of each warp; `y`: of the line.
void add_barrier(const BarrierLook& look, const BarrierLine& barrier, const std::vector<Span>& warps, float y,
                 Layer& layer);
// "all 128 threads arrived at the barrier at line 41 of block_tree.cuh", or "3 of 128 arrived … and wait forever".
std::string barrier_text(const Trace& trace, const BarrierLine& barrier);

} // namespace warptree::scene
