// What the report on a program adds to the report on a kernel file.
#pragma once

#include "app/trace/model/trace.hpp"

#include <map>

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace warptree {

inline bool is_program(const Trace& trace) { return !trace.program.entry.empty(); }

// The story: an object {"entry", "exit", "printed", "story", "findings"}.
nlohmann::ordered_json program_json(const Trace& trace);
// A line an event: "line 12: copy h_in to d_in, 4096 bytes, host to device".
std::string story_text(const Trace& trace);
// The same without its line; what another launch is `told` to have, by told_in(), is only named.
std::string event_text(const Trace& trace, const StoryEvent& event,
                       const std::map<const Finding*, std::size_t>& told = {});

} // namespace warptree
