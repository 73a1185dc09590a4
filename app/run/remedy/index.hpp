// Indices that leave out the block, strides that are too short, and bounds that leave out the last element.
#pragma once

#include "app/run/remedy/statements.hpp"
#include "app/run/remedy/text_edit.hpp"

#include <string_view>
#include <vector>

namespace warptree::runs {

// Each is a guess about the text: an index that is the thread's number in its block, one made of the grid's size or with the two numbers
// swapped, a bound that is one less than another, and a loop whose stride is not that of all threads.
std::vector<Change> index_changes(const Statements& code);
// Whether a text has an index of the second kind, which is hardly ever meant.
bool mistakes_a_size(std::string_view text);

} // namespace warptree::runs
