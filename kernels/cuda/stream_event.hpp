// A point in the default stream, and the time between two.
#pragma once

#include "kernels/cuda/check.hpp"

#include <cmath>

namespace warptree::cuda {

class StreamEvent {
  public:
    StreamEvent() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
    ~StreamEvent() { cudaEventDestroy(event_); }
    StreamEvent(const StreamEvent&) = delete;
    StreamEvent& operator=(const StreamEvent&) = delete;
    void record() { check(cudaEventRecord(event_), "cudaEventRecord"); }
    double seconds_since(const StreamEvent& begin) const {
        check(cudaEventSynchronize(event_), "running the kernel");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, begin.event_, event_), "cudaEventElapsedTime");
        return std::round(1e6 * static_cast<double>(ms)) / 1e9; // whole nanoseconds: finer than the events
    }

  private:
    cudaEvent_t event_ = nullptr;
};

} // namespace warptree::cuda
