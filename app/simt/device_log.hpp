// What the threads of a launch did on a GPU, each in program order. The machine can follow this log: it takes loaded
// values from it, delays an access until its own memory matches what the GPU found, and compares what it computes with
// what the GPU computed.
#pragma once

#include "app/compile/program/device_log.hpp"

#include <cstdint>
#include <vector>

namespace warptree::simt {

class DeviceLog {
  public:
    // events[e * threads + t] is event e of thread t, which has counts[t] events; addresses are the machine's, not the
    // GPU's, or 0 if unknown.
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
