// The source files that a trace's lines refer to, with their text as stored in the trace.
#pragma once

#include "app/trace/model/trace.hpp"

#include <string_view>
#include <vector>

namespace warptree {

enum class SourceOrigin : std::uint8_t {
    recorded, // from the trace; this program's file is the same, or it has none
    differs,  // from the trace; this program's file of the strategy differs
};

// Views into the trace.
struct SourceView {
    std::string_view path; // for a strategy: relative to the folder of its file
    std::string_view text;
    SourceOrigin origin = SourceOrigin::recorded;
};

// The kernel's own file first, then what it includes. Empty if the trace has none.
std::vector<SourceView> sources(const Trace& trace);
// The path of the kernel's own file; empty if unknown.
std::string_view own_source(const Trace& trace);
// The file that a line is in, as in sources().
std::string_view file_of(const Trace& trace, SourceLine line);
// The whole text of that file; empty if unknown.
std::string_view text_of(const Trace& trace, SourceLine line);

} // namespace warptree
