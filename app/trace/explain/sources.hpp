// The files that a trace's lines are of, and their text, as the trace keeps them.
#pragma once

#include "app/trace/model/trace.hpp"

#include <string_view>
#include <vector>

namespace warptree {

enum class SourceOrigin : std::uint8_t {
    recorded, // from the trace, and nothing else is known of it
    differs,  // from the trace; this program's file of the strategy is another
};

// Views of the trace.
struct SourceView {
    std::string_view path; // of a strategy: below the folder of its file
    std::string_view text;
    SourceOrigin origin = SourceOrigin::recorded;
};

// The kernel's own file first, then what it includes. Empty where the trace keeps none.
std::vector<SourceView> sources(const Trace& trace);
// The path of the kernel's own file; empty where it is not known.
std::string_view own_source(const Trace& trace);
// The file that a line is in, as in sources().
std::string_view file_of(const Trace& trace, SourceLine line);

} // namespace warptree
