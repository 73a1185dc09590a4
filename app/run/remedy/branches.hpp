// Threads that leave, or stay out of a branch, before what all threads of the block or warp take part in.
#pragma once

#include "app/run/remedy/statements.hpp"
#include "app/run/remedy/text_edit.hpp"

#include <cstdint>
#include <vector>

namespace warptree::runs {

// Of a barrier, shuffle or vote in a line: instead of an early return, or of the branch around it, each other statement that the
// condition was for has it by itself. What is loaded for a value that all threads have is 0 elsewhere. Each is a guess about the text.
std::vector<Change> conditions_of_statements(const Statements& code, std::uint32_t line);

} // namespace warptree::runs
