// What one thread does in one step, in the order in which it happens: its lifeline.
#pragma once

#include "app/document/moment.hpp"
#include "app/views/views.hpp"

#include <string>
#include <vector>

namespace warptree::scene {

struct LifeEvent {
    session::SubStep part = session::SubStep::load_operands; // of the step; within it in the order of the trace
    std::string text;                                        // "loads s[5]"
    SourceLine line = SourceLine::none();
    bool attention = false; // it waits for ever
    friend bool operator==(const LifeEvent&, const LifeEvent&) = default;
};

// Of a thread of a traced block. A thread that does nothing has one event that says so, and the barriers.
std::vector<LifeEvent> lifeline(const Trace& trace, const session::Moment& moment, std::uint32_t block,
                                std::uint32_t thread);
// The thread that a target stands for, in the launch that is shown; kNone: none.
std::uint32_t thread_of(const Trace& trace, const session::Moment& moment, const Target& target);

} // namespace warptree::scene
