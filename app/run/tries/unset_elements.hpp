// Elements that a changed kernel no longer stores.
#pragma once

#include "app/trace/model/trace.hpp"

namespace warptree::runs {

// Whether there are such within the arrays, of what both traces show: a guard against `finding` that does leaves its result unset.
bool stores_fewer(const Trace& after, const Trace& before, const Finding& finding);

} // namespace warptree::runs
