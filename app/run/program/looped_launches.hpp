// Loops of launches that do not do what a loop is for: what is set once before several launches that each add to it, and launches that
// are all the same.
#pragma once

#include "app/trace/model/trace.hpp"

#include <optional>
#include <string>

namespace warptree::runs {

struct LoopDoubt {
    SourceLine line = SourceLine::none(); // of the launches
    std::string array, text;
};
// Of the program's story and launches, as recorded: the first such array that is copied to the host after them. nullopt: none.
std::optional<LoopDoubt> set_once(const Trace& trace);

// The first line of which all launches, several, have the same kernel, arguments and grid, and only store to what none of them reads,
// while nothing else changes that after the first of them. nullopt: none.
std::optional<LoopDoubt> same_again(const Trace& trace);

} // namespace warptree::runs
