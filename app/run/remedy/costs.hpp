// Changes of what is right, but slow.
#pragma once

#include "app/run/remedy/statements.hpp"
#include "app/run/remedy/text_edit.hpp"

#include <vector>

namespace warptree::runs {

// Rows of a tile one element longer, numbers of rows and columns that take the other direction of the grid, a reduction whose
// threads at work are neighbours, and no barriers. Each is a guess about the text.
std::vector<Change> cheaper_changes(const Statements& code);

} // namespace warptree::runs
