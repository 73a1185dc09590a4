// One token of a kernel changed for another that is meant as often. Which of these is right, only a program's own check tells.
#pragma once

#include "app/run/remedy/statements.hpp"
#include "app/run/remedy/text_edit.hpp"

#include <cstdint>
#include <vector>

namespace warptree::runs {

// In the function that has the line: a row's length, two bounds exchanged, an order with or without equality, x and y, a mask that is
// one less, an index one lower. The likeliest first.
std::vector<Change> token_changes(const Statements& code, std::uint32_t line);

// What keeps an index within its array: a mask of the lower bits for one of the bit above them, anywhere in the function, and remainders
// of what may be negative, in the line.
std::vector<Change> wrapped_indices(const Statements& code, std::uint32_t line);
// A maximum that begins below all elements where it begins with 0, a minimum above them.
std::vector<Change> first_extremes(const Statements& code);

} // namespace warptree::runs
