// Whether a correct integer result has wrapped around.
#pragma once

#include "app/trace/model/trace.hpp"

#include <string>

namespace warptree {

// "The exact sum is 8589869056, more than an int holds (2147483647). …"
// Empty if the result fits its type, is floating-point, or is not the sum or product of the generated input.
std::string explain_overflow(const Trace& trace);

} // namespace warptree
