// Arguments of a program's launches and copies: one of the host for one of the device, and two that are swapped.
#pragma once

#include "app/run/remedy/statements.hpp"
#include "app/run/remedy/text_edit.hpp"
#include "app/trace/model/trace.hpp"

#include <vector>

namespace warptree::runs {

// A kernel is given an array of the host: the device's that it is copied to or from.
std::vector<Change> arrays_of_device(const Statements& code, const Trace& trace, const Finding& finding);
// Two arguments of a launch, which the finding says may be swapped.
std::vector<Change> swapped_arguments(const Statements& code, const Finding& finding);
// A copy to the device behind the launch whose results it should bring back.
std::vector<Change> swapped_copies(const Statements& code, const Finding& finding);

} // namespace warptree::runs
