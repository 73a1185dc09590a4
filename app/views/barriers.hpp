// Barriers of one block: where its warps wait for each other, and who has come.
#pragma once

#include "app/views/views.hpp"

#include <cstdint>
#include <vector>

namespace warptree::scene {

struct BarrierLine {
    std::uint32_t step = 0; // which it ends
    SourceLine line = SourceLine::none();
    std::vector<std::uint32_t> came; // lanes, by warp
    std::uint32_t threads = 0;       // of them
    std::uint32_t expected = 0;      // that have to come
    bool passed = true;              // else those who came wait for ever
    bool takes_all = true;           // of the block, as __syncthreads; else some, as a named barrier
    bool missing = false;            // there is none, and threads race across the end of the step: nobody comes
};

// In the order of their steps, each as often as it was passed; those that nobody passes last in their step.
std::vector<BarrierLine> barrier_lines(const Launch& launch, std::uint32_t block);

// How such a line looks in a view: a piece for each run of neighbouring warps that came.
struct BarrierLook {
    const ViewContext* context = nullptr;
    std::uint32_t current = 0; // step; steps before it are complete
    float width = 1.5F;        // of the line, pixels
};
struct Span {
    float from = 0, to = 0; // pixels
};
// `warps`: where each warp lies across; the line lies at `y`.
void add_barrier(const BarrierLook& look, const BarrierLine& barrier, const std::vector<Span>& warps, float y,
                 Layer& layer);
// "128 of 128 threads wait for each other at line 41 of block_tree.hpp" and, of those that nobody passes, why.
std::string barrier_text(const Trace& trace, const BarrierLine& barrier);

} // namespace warptree::scene
