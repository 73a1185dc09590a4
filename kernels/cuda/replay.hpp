// Feeds the events of one traced block to the recorder, in an order in which operands exist before they are used.
#pragma once

#include "kernels/cuda/events.hpp"
#include "kernels/trace/recorder.hpp"

#include <array>
#include <functional>
#include <vector>

namespace warptree::cuda {

// Access to a block's events, however they are laid out.
struct BlockEvents {
    std::uint32_t threads = 0;
    const Event* first = nullptr; // event e of thread t: first[e * stride + t]
    std::uint64_t stride = 0;
    const std::uint32_t* counts = nullptr; // by thread
    const Event& at(std::uint32_t thread, std::uint32_t e) const { return first[e * stride + thread]; }
};

// A value that left the block, in order of replay.
struct ReplayedOutput {
    std::uint32_t index;
    OutputTo to;
    std::uint64_t bits;
};

// By tile: combines on the longest path to what it published, aggregate and prefix. Tiles are replayed in their order, so
// that what a tile reads is there.
using PublishedDepths = std::vector<std::array<std::uint32_t, 2>>;

std::vector<ReplayedOutput> replay(const BlockEvents& events, std::uint32_t block, Recorder& recorder,
                                   PublishedDepths& published);

} // namespace warptree::cuda
