// Which line of which file runs.
#pragma once

#include "app/session/moment.hpp"
#include "kernels/trace/trace.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::scene {

// None on the host.
SourceLine running_line(const Trace& trace, const session::Moment& moment);

// One row of the text that a strategy runs: its own file, then each header of kernels/ that it includes for its work.
struct SourceRow {
    std::string_view file; // below kernels/: "reduce/warp_reduce.hpp"
    std::string_view text;
    std::uint32_t line = 0; // 1-based in its file; 0: the row that names the file
};
std::vector<SourceRow> source_rows(std::string_view strategy);
// kNone when no row is that line.
std::uint32_t row_of(const std::vector<SourceRow>& rows, std::string_view strategy, SourceLine line);

// "line 18", or "line 18 of warp_reduce.hpp" outside the strategy's own file.
std::string written_at(SourceLine line);

} // namespace warptree::scene
