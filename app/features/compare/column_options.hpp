// The options of a column of a comparison, by name, and the columns written as text:
// "sequential", "sequential:block=128,type=f32", "run.wtrace".
#pragma once

#include "app/base/options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::session {

// An option as it is shown and changed.
struct ColumnOption {
    std::string id;    // "block": also --block on the command line
    std::string label; // "warp schedule"
    std::string value;
    std::vector<std::string> choices; // empty: any whole number
};
// The strategy, then those of request::options() that a column takes and the strategy's own parameters.
std::vector<ColumnOption> column_options(const RunOptions& options);
// Throws OptionError for a name the strategy does not have and for an invalid value. refusal() says whether the options
// work together.
void set_column_option(RunOptions& options, std::string_view id, std::string_view value);
// Changes the strategy and keeps the values it supports; an unsupported block or finish becomes its default.
void change_strategy(RunOptions& options, std::string_view id);

// Threads of a block for files that say none: those of the first of the columns that runs a strategy, as equal trees would look
// different otherwise. Null: a column that is only read.
std::uint32_t block_beside(const std::vector<const RunOptions*>& columns);

// A column as text.
struct ColumnText {
    std::string what;                                         // id of a strategy, or path of a kernel or trace file
    std::vector<std::pair<std::string, std::string>> options; // in the order written
    bool is_file = false;
};
// Throws OptionError when the text is not a file and has no strategy id before its first ":".
ColumnText parse_column(const std::string& text);
// The options changed by those of the text; n, operator and input stay. Throws OptionError.
RunOptions apply(const ColumnText& column, RunOptions options);
// The options that differ from the strategy's defaults; parse_column and apply restore `options` from them.
std::string column_text(const RunOptions& options);
// "B = 64, f32, 16 banks": what column_text says, for people; starts with the block.
std::string column_note(const RunOptions& options);

} // namespace warptree::session
