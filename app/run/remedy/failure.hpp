// What to try in a program that ends otherwise than with 0, by a check of its own, where no finding says why.
#pragma once

#include "app/run/remedy/statements.hpp"
#include "app/run/remedy/text_edit.hpp"

#include <vector>

namespace warptree::runs {

// Mistakes of hosts that leave no trace in a single launch: what is set once before a loop of launches, the other of two arrays
// that change places, what a minimum begins with, a last round that is left out, two arguments exchanged. The likeliest first.
std::vector<Change> failure_changes(const Statements& code);

} // namespace warptree::runs
