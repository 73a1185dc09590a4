// The memory that a run may take: its arrays, the device heap, what is noted of them and recorded of its blocks.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace warptree::simt {

// "2 GB", "1.5 MB", "300 bytes".
std::string in_bytes(std::uint64_t bytes);

// Shared by the threads of a run.
class MemoryBudget {
  public:
    explicit MemoryBudget(std::uint64_t most) : most_(most) {}
    MemoryBudget(const MemoryBudget&) = delete;
    MemoryBudget& operator=(const MemoryBudget&) = delete;

    std::uint64_t most() const { return most_; }
    std::uint64_t left() const { return most_ - taken_.load(std::memory_order_relaxed); }
    // `what` for the message: "array in". Throws OptionError, the same for any order of the threads, if it does not fit.
    void take(std::uint64_t bytes, std::string_view what);
    void give(std::uint64_t bytes) { taken_.fetch_sub(bytes, std::memory_order_relaxed); }

  private:
    const std::uint64_t most_;
    std::atomic<std::uint64_t> taken_{0};
};

} // namespace warptree::simt
