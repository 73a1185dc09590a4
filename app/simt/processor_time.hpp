// The processor time that a run may take on each of its threads.
#pragma once

#include <chrono>
#include <thread>

namespace warptree::simt {

// Of the calling thread, so far.
std::chrono::nanoseconds thread_time();

// Measured from its construction on, by the thread that runs. Other threads count from their own beginning, so that a
// busy machine changes nothing.
class ProcessorTime {
  public:
    explicit ProcessorTime(std::chrono::nanoseconds most) : most_(most), owner_(std::this_thread::get_id()) {} // 0: any
    ProcessorTime(const ProcessorTime&) = delete;
    ProcessorTime& operator=(const ProcessorTime&) = delete;

    std::chrono::nanoseconds most() const { return most_; }
    // Whether the calling thread has used it up.
    bool up() const;
    // While the owner waited, another thread took this long.
    void waited(std::chrono::nanoseconds time) { waited_ += time; }

  private:
    std::chrono::nanoseconds used() const;

    const std::chrono::nanoseconds most_;
    const std::thread::id owner_;
    const std::chrono::nanoseconds begin_ = thread_time();
    std::chrono::nanoseconds waited_{0}; // of the owner
};

} // namespace warptree::simt
