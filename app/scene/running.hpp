// Which line of which file runs. A trace gives line numbers; a strategy may do part of its work in headers it shares
// with others, and then what is done tells which file is meant.
#pragma once

#include "app/session/moment.hpp"
#include "kernels/trace/trace.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace warptree::scene {

enum class Deed : std::uint8_t { load, combine, shared_access, emit, barrier };

struct Running {
    std::uint32_t line = 0; // 1-based in its file; 0: none (host)
    Deed deed = Deed::load;
};
Running running(const Trace& trace, const session::Moment& moment);

// One row of the text that a strategy runs: its own file, then each header of kernels/ that it includes for its work.
struct SourceRow {
    std::string_view file; // below kernels/: "reduce/warp_reduce.hpp"
    std::string_view text;
    std::uint32_t line = 0; // 1-based in its file; 0: the row that names the file
};
std::vector<SourceRow> source_rows(std::string_view strategy);
// The first row that fits, kNone when there is none.
std::uint32_t row_of(const std::vector<SourceRow>& rows, const Running& running);
bool fits(const SourceRow& row, const Running& running);

} // namespace warptree::scene
