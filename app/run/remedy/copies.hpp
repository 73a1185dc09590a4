// Allocations, copies and arguments of a program's host written as they are meant as often. Which of these is right, only a program's
// own check tells.
#pragma once

#include "app/run/remedy/statements.hpp"
#include "app/run/remedy/text_edit.hpp"

#include <vector>

namespace warptree::runs {

std::vector<Change> copy_changes(const Statements& code);

} // namespace warptree::runs
