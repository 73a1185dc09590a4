// GPU arrays that experiments share, because no two of them run at the same time: the random input and scratch memory.
#pragma once

#include "app/measure/gpu/timing_kernels.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace warptree::runs {

// Guard bytes after each array passed to a kernel; writes there are detected.
inline constexpr std::uint64_t kGuardBytes = 4096;

class SharedArrays {
  public:
    // Random elements, or whole numbers after hold_whole().
    std::shared_ptr<gpu::Buffer> random(ElementType type, std::uint64_t count, std::uint64_t seed);
    // Scratch memory of at least that many bytes; the same array for the same number.
    std::shared_ptr<gpu::Buffer> scratch(std::pair<std::size_t, std::size_t> number, std::uint64_t bytes);
    // Sets whether the floats of all random inputs are whole numbers.
    void hold_whole(bool whole);
    // Releases all arrays; those still held elsewhere stay allocated.
    void forget();

    const TimingKernels& kernels(ElementType type);

  private:
    struct Input {
        Contents what;
        std::shared_ptr<gpu::Buffer> buffer;
    };
    std::vector<Input> inputs_;
    std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<gpu::Buffer>> scratch_;
    std::map<ElementType, TimingKernels> kernels_;
    bool whole_ = false;
};

// Allocates device memory; throws OutOfMemory that says what it was for.
std::shared_ptr<gpu::Buffer> take(std::uint64_t bytes, const char* what);

} // namespace warptree::runs
