// What the threads of a launch did on a GPU, each in its own order. The machine that is given it follows: it takes the values
// that were loaded from here, waits with an access until its own memory is as the GPU found it, and holds what it computes
// against what the GPU computed.
#pragma once

#include "app/compile/device_log.hpp"

#include <cstdint>
#include <vector>

namespace warptree::simt {

class DeviceLog {
  public:
    // events[e * threads + t] is the e-th of thread t, of which there are counts[t]; addresses as the machine has them, or 0
    // where that is not known.
    DeviceLog(std::vector<compile::LoggedEvent> events, std::vector<std::uint32_t> counts)
        : events_(std::move(events)), counts_(std::move(counts)) {}
    const compile::LoggedEvent* event(std::uint64_t thread, std::uint32_t number) const {
        return thread < counts_.size() && number < counts_[thread] ? &events_[number * counts_.size() + thread]
                                                                   : nullptr;
    }

  private:
    std::vector<compile::LoggedEvent> events_;
    std::vector<std::uint32_t> counts_;
};

} // namespace warptree::simt
