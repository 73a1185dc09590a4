// The options of a column of a comparison, by name, and the columns written as text:
// "sequential", "sequential:block=128,type=f32", "run.wtrace".
#pragma once

#include "app/base/options.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warptree::session {

// An option as it is shown and changed.
struct ColumnOption {
    std::string id;    // "block": also --block on the command line
    std::string label; // "warp schedule"
    std::string value;
    std::vector<std::string> choices; // empty: a whole number is typed
};
// strategy, block, type, finish, banks, order and the strategy's own parameters.
std::vector<ColumnOption> column_options(const RunOptions& options);
// Throws OptionError for a name the strategy does not have and a value that is none. Whether the options run together
// is for refusal().
void set_column_option(RunOptions& options, std::string_view id, std::string_view value);
// Changes the strategy and keeps the values it supports; an unsupported block or finish becomes its default.
void change_strategy(RunOptions& options, std::string_view id);

// A column as text.
struct ColumnText {
    std::string what;                                         // id of a strategy, or path of a kernel or trace file
    std::vector<std::pair<std::string, std::string>> options; // in the order written
    bool is_file = false;
};
// Throws OptionError when the text has neither the id of a strategy before its first ":" nor is a file.
ColumnText parse_column(const std::string& text);
// The options changed by those of the text; n, operator and input stay. Throws OptionError.
RunOptions apply(const ColumnText& column, RunOptions options);
// Those that differ from a default of the strategy: parse_column and apply give `options` back.
std::string column_text(const RunOptions& options);
// "B = 64, f32, 16 banks": what column_text says, for people; starts with the block.
std::string column_note(const RunOptions& options);

} // namespace warptree::session
