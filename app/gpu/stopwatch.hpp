// Times work on the device: what is queued between two events begins only when all of it is there, so that the time it takes
// to queue stays out.
#pragma once

#include "app/gpu/device.hpp"

#include <chrono>
#include <functional>

namespace warptree::gpu {

class Stopwatch {
  public:
    explicit Stopwatch(std::chrono::milliseconds limit); // that a run may take

    // Overwrites a buffer of twice the L2 cache, so that nothing of an earlier run is left there.
    void overwrite_cache();
    std::uint64_t flush_bytes() const { return flush_.size(); }
    // Seconds of what `enqueue` queues.
    double time(const std::function<void()>& enqueue);

  private:
    struct Gate { // of host memory, which a kernel waits at
        int open, late;
    };
    Gate& gate() const { return *static_cast<Gate*>(memory_.data()); }
    void set(int open) const;

    std::chrono::milliseconds limit_;
    Module code_;
    api::Function wait_at_;
    HostBuffer memory_;
    Buffer flush_;
    Event begin_, end_;
    unsigned flushes_ = 0;
};

} // namespace warptree::gpu
