// What a kernel does with an element that it reads.
#pragma once

#include "app/run/remedy/statements.hpp"

#include <cstddef>

namespace warptree::runs {

// Whether the element in [begin, end) of the text, or a variable that its statement sets to it, is part of a difference, of an index
// or of a loop's head, as an offset into rows is: half of a sum would do with 0 there, these would be wrong.
bool is_offset(const Statements& code, std::size_t begin, std::size_t end);

} // namespace warptree::runs
