// Where a program frees what it allocates on the device.
#pragma once

#include "app/run/remedy/statements.hpp"
#include "app/run/remedy/text_edit.hpp"
#include "app/trace/model/trace.hpp"

#include <vector>

namespace warptree::runs {

// Of what is never freed: beside the other frees, at the end of the function that allocates, and of the loop's body that does.
std::vector<Change> frees_of_all(const Statements& code, const Trace& trace);
// One array is freed twice: what is never freed is meant, else it is freed once.
std::vector<Change> frees_of_another(const Statements& code, const Trace& trace, const Finding& finding);

} // namespace warptree::runs
