// A minimum, maximum or product of which no element matters, as what it begins with wins: the minimum of positive numbers that
// begins with 0.
#pragma once

#include "app/trace/model/trace.hpp"

namespace warptree::runs {

// Adds a finding where all combinations of the traced blocks are such, and as many elements become fewer results.
void tell_inert_elements(Launch& launch);

} // namespace warptree::runs
