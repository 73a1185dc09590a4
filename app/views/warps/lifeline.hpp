// What one thread does in one step, in order: its lifeline.
#pragma once

#include "app/document/moment.hpp"
#include "app/views/views.hpp"

#include <string>
#include <vector>

namespace warptree::scene {

struct LifeEvent {
    session::SubStep part = session::SubStep::load_operands; // part of the step
    std::string text;                                        // "loads s[5]"
    SourceLine line = SourceLine::none();
    bool attention = false; // a barrier that never completes
    friend bool operator==(const LifeEvent&, const LifeEvent&) = default;
};

// Empty unless the block is traced. A thread that does nothing has events that say so, and its barriers.
std::vector<LifeEvent> lifeline(const Trace& trace, const session::Moment& moment, std::uint32_t block,
                                std::uint32_t thread);
// The thread that a target stands for, in the shown launch; kNone if none.
std::uint32_t thread_of(const Trace& trace, const session::Moment& moment, const Target& target);

} // namespace warptree::scene
