// What to write in a program's host code so that a finding goes away.
#pragma once

#include "app/run/remedy/remedy.hpp"

#include <vector>

namespace warptree::runs {

// As possible_remedies(), in the host code of a program's first file.
std::vector<Remedy> possible_host_remedies(const Trace& trace, const Finding& finding);

} // namespace warptree::runs
