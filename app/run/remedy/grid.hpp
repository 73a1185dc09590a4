// How many blocks a program's launch has: sides that are swapped, rounded down or left out.
#pragma once

#include "app/run/remedy/statements.hpp"
#include "app/run/remedy/text_edit.hpp"
#include "app/trace/model/trace.hpp"

#include <vector>

namespace warptree::runs {

// x and y the other way round: what is divided alone, as each side has its own block. Of the launch of the finding.
std::vector<Change> swapped_sides(const Statements& code, const Finding& finding);
// Blocks in z, of which the launch of the finding has too few.
std::vector<Change> blocks_in_z(const Statements& code, const Trace& trace, const Finding& finding);
// A number of blocks that is rounded down, as n / B.
std::vector<Change> rounded_up(const Statements& code);

} // namespace warptree::runs
