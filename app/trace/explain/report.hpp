// The report on a trace, for tools (JSON) and for people (a table).
//
// Counters of a step are summed over all blocks of the launch. *_requests count warp-level accesses with at least one
// active lane, *_ideal the wavefronts they would take without bank conflicts; shuffles count warp-level instructions,
// atomics the operations of single lanes; hazards count words of shared memory, or elements of global memory, on which
// two threads race, in the step of the later access, once for each warp that makes one.
#pragma once

#include "app/base/table.hpp"
#include "app/trace/explain/order_results.hpp"
#include "app/trace/model/trace.hpp"

#include <string>

namespace warptree {

// `orders`: what other orders gave, if they were tried.
std::string report_json(const Trace& trace, const OrderResults& orders = {});
std::string report_text(const Trace& trace, const OrderResults& orders = {});
// Only the counters: per launch, one row per step and the totals; as CSV one table of all launches, one row per step.
std::string steps_text(const Trace& trace, TableFormat as);

} // namespace warptree
