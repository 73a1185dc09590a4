// How much a program allocates and copies.
#pragma once

#include "app/run/remedy/statements.hpp"
#include "app/run/remedy/text_edit.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warptree::runs {

// An array of the device is as large as the host's that is copied to it, as n + 1 row pointers.
std::vector<Change> as_large_as_the_hosts(const Statements& code, const std::string& array);
// sizeof of a pointer where an array's size is meant: as another call has it for the same array, by `line`.
std::vector<Change> sizes_of_arrays(const Statements& code, std::uint32_t line);

} // namespace warptree::runs
