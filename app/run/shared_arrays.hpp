// Arrays on the GPU that experiments have in common, as no two of them run at the same time: the random input, and what
// they work in.
#pragma once

#include "app/run/timing_kernels.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace warptree::runs {

// Behind each array that a kernel is called with; what it writes there is seen.
inline constexpr std::uint64_t kGuardBytes = 4096;

class SharedArrays {
  public:
    // Random elements, or whole numbers where hold_whole() said so.
    std::shared_ptr<gpu::Buffer> random(ElementType type, std::uint64_t count, std::uint64_t seed);
    // Anything, of at least as many bytes. Experiments that ask with the same number get the same.
    std::shared_ptr<gpu::Buffer> scratch(std::pair<std::size_t, std::size_t> number, std::uint64_t bytes);
    // Floats of all random inputs are whole numbers, or are not.
    void hold_whole(bool whole);
    // What nobody holds any more is given back.
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

// Takes device memory; throws OutOfMemory that says whose it was to be.
std::shared_ptr<gpu::Buffer> take(std::uint64_t bytes, const char* what);

} // namespace warptree::runs
