// Several traces at once, for the commands that compare.
#pragma once

#include "app/cli/animate.hpp"
#include "app/cli/picture_options.hpp"
#include "app/cli/trace_options.hpp"
#include "app/features/compare/alignment.hpp"
#include "app/features/compare/compare_table.hpp"

#include <memory>
#include <string>
#include <vector>

namespace warptree::commands {

// Two to four columns in the form of session::parse_column, traced or loaded. The trace options apply to every column
// that is not a file, but a column's own take precedence; all use the n of the first.
struct ComparedColumns {
    std::vector<std::shared_ptr<const Trace>> traces;
    std::vector<scene::ComparedTrace> columns; // of `traces`
};
ComparedColumns compared_columns(const std::vector<std::string>& texts,
                                 const TraceOptions& options); // throws OptionError

struct ComparePicture {
    std::vector<std::string> texts;
    std::string align = "stage", step; // step: which of the comparison, from 0; empty: the most telling one
    std::string out;
    Picture picture{};
    AnimationWords animation{}; // all steps, if requested
};
// A picture, or an animation. Throws OptionError, FileError, Cancelled.
void render_compare(const ComparePicture& picture, const TraceOptions& options);

// What `report --compare` prints; exit code 1 when a result is wrong.
int report_compare(const std::vector<std::string>& texts, const TraceOptions& options, const std::string& format);

} // namespace warptree::commands
