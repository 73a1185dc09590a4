// The part of a trace shown to a user who must predict the rest. It contains nothing later, so that no view can give
// the answer away.
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
    std::uint32_t hidden_from = kNone; // first hidden step of the last launch; kNone: nothing is hidden
};

// `trace` up to a step of a launch, which must exist: no later launch, no result, no partial results, and of later
// steps neither counters nor records. The whole trace if nothing follows that step.
Seen seen_until(std::shared_ptr<const Trace> trace, std::uint32_t launch, std::uint32_t step, Later later);

} // namespace warptree::session
