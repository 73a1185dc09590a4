// Which line of which file is running.
#pragma once

#include "app/document/moment.hpp"
#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::scene {

// None while the host combines.
SourceLine running_line(const Trace& trace, const session::Moment& moment);

// One row of the source that a trace's run executed (app/trace/explain/sources.hpp): the strategy's own file, then
// others. `file` is a view into the trace or the program's data.
struct SourceRow {
    std::string_view file; // below kernels/: "reduce/warp_reduce.cuh"
    std::string text;
    std::uint32_t line = 0; // 1-based in its file; 0: the row that names the file
};
std::vector<SourceRow> source_rows(const Trace& trace);
// A note on the file of the line, or on the strategy's own if there is no line; empty if the trace's text and this
// program's are equal.
std::string source_note(const Trace& trace, SourceLine line);
// kNone if no row shows that line.
std::uint32_t row_of(const std::vector<SourceRow>& rows, const Trace& trace, SourceLine line);

// "line 18", or "line 18 of warp_reduce.cuh" outside the strategy's own file.
std::string written_at(const Trace& trace, SourceLine line);

} // namespace warptree::scene
