// The part of a trace that a user who is to predict the rest may see: nothing later is in it, so that no view can
// give it away.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <memory>

namespace warptree::session {

// How hidden steps are represented.
enum class Later : std::uint8_t {
    labelled, // each keeps its label but is empty: a question may ask for one
    one       // a single empty step "?", so that not even their number is revealed
};

struct Seen {
    std::shared_ptr<const Trace> trace;
    std::uint32_t hidden_from = kNone; // first step of the last launch that is not to be seen; kNone: all is
};

// `trace` up to a step of a launch, which must be there: no later launch, no result, no partial results, and of later
// steps neither counters nor records. The whole trace when nothing follows that step.
Seen seen_until(std::shared_ptr<const Trace> trace, std::uint32_t launch, std::uint32_t step, Later later);

} // namespace warptree::session
