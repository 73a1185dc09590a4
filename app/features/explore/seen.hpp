// A trace as far as someone may see it who is to predict the rest: what comes later is not in it, so that no view can
// give it away.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <memory>

namespace warptree::session {

// What stands for the steps that are not to be seen.
enum class Later : std::uint8_t {
    labelled, // each stays, empty, under its label: one of them may be asked for
    one       // a single empty step "?", so that not even their number is told
};

struct Seen {
    std::shared_ptr<const Trace> trace;
    std::uint32_t hidden_from = kNone; // first step of the last launch that is not to be seen; kNone: all is
};

// `trace` up to a step of a launch, which must be there: no later launch, no result, no partial results, and of later
// steps neither counters nor records. The whole trace when nothing follows that step.
Seen seen_until(std::shared_ptr<const Trace> trace, std::uint32_t launch, std::uint32_t step, Later later);

} // namespace warptree::session
