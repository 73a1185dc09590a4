// What a program sets once before several launches that each add to it.
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

} // namespace warptree::runs
