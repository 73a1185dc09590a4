// Waits of a program's host for what the device does.
#pragma once

#include "app/run/remedy/statements.hpp"
#include "app/run/remedy/text_edit.hpp"
#include "app/trace/model/execution.hpp"

#include <vector>

namespace warptree::runs {

// Before what uses the memory, or asks for a time: for the event or the stream that the finding speaks of, else for the device.
std::vector<Change> waits_before(const Statements& code, const Finding& finding);
// Behind what launches.
std::vector<Change> waits_behind(const Statements& code, const Finding& finding);

} // namespace warptree::runs
