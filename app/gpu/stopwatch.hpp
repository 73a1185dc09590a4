// Times work on the device: the work between two events starts only once all of it is queued, so that the time to queue
// it is not measured.
#pragma once

#include "app/gpu/device.hpp"

#include <chrono>
#include <functional>

namespace warptree::gpu {

class Stopwatch {
  public:
    explicit Stopwatch(std::chrono::milliseconds limit); // time limit of a run

    // Overwrites a buffer of twice the L2 cache's size, 64 MB or more, to evict the data of earlier runs.
    void overwrite_cache();
    std::uint64_t flush_bytes() const { return flush_.size(); }
    // Seconds that the work queued by `enqueue` takes.
    double time(const std::function<void()>& enqueue);

  private:
    struct Gate { // in host memory, polled by a kernel
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
