// Loops of launches that do not do what a loop is for: what is set once before several launches that each add to it, and launches that
// are all the same.
#pragma once

#include "app/trace/model/trace.hpp"

#include <optional>
#include <string>

namespace warptree::runs {

struct SetOnce {
    SourceLine line = SourceLine::none(); // of the second launch
    std::string array, text;
};
// Of the program's story and launches, as recorded: the first such array that is copied to the host after them. nullopt: none.
std::optional<SetOnce> set_once(const Trace& trace);

// The first line of several launches of one kernel with the same arguments, which only store to what none of them reads, and between
// which nothing else changes that. nullopt: none.
std::optional<SetOnce> same_again(const Trace& trace);

} // namespace warptree::runs
