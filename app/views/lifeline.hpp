// What one thread does in one step, in the order in which it happens: its lifeline.
#pragma once

#include "app/document/moment.hpp"
#include "app/views/views.hpp"

#include <string>
#include <vector>

namespace warptree::scene {

struct LifeEvent {
    session::SubStep part = session::SubStep::load_operands; // part of the step; within it, in trace order
    std::string text;                                        // "loads s[5]"
    SourceLine line = SourceLine::none();
    bool attention = false; // the thread waits forever
    friend bool operator==(const LifeEvent&, const LifeEvent&) = default;
};

// For a thread of a traced block. A thread that does nothing has one event that says so, and its barriers.
std::vector<LifeEvent> lifeline(const Trace& trace, const session::Moment& moment, std::uint32_t block,
                                std::uint32_t thread);
// The thread that a target stands for, in the shown launch; kNone: none.
std::uint32_t thread_of(const Trace& trace, const session::Moment& moment, const Target& target);

} // namespace warptree::scene
