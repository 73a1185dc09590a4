// The files that a trace's lines are of, and their text: the trace's own where it keeps one, else this build's.
#pragma once

#include "app/trace/model/trace.hpp"

#include <string_view>
#include <vector>

namespace warptree {

enum class SourceOrigin : std::uint8_t {
    recorded, // from the trace, and this build has the same
    differs,  // from the trace; this build's is another, or it has none
    build,    // from this build: the trace keeps none, so its lines may be of another text
};

// Views of the trace or of the program's own data.
struct SourceView {
    std::string_view path; // below kernels/
    std::string_view text;
    SourceOrigin origin = SourceOrigin::build;
};

// The strategy's file, the headers of kernels/ that it includes for its work, and others that a line refers to. Empty
// where neither the trace nor the program has any.
std::vector<SourceView> sources(const Trace& trace);
// The strategy's own file below kernels/; empty where it is not known.
std::string_view own_source(const Trace& trace);
// The file that a line is in, as in sources(): of a kernel file, by its place there.
std::string_view file_of(const Trace& trace, SourceLine line);
// Of this build, for a trace to keep.
std::vector<SourceFile> kept_sources(const Trace& trace);

} // namespace warptree
