// Runs one kernel in many orders of its blocks and warps; see trace/explain/order_results.hpp.
#pragma once

#include "app/base/options.hpp"
#include "app/trace/explain/order_results.hpp"

#include <cstdint>

namespace warptree::runs {

// The random orders of seeds 1 to `orders`, side by side on as many threads as there are cores; the input is that of
// options.seed. The same whatever the number of cores. Throws as run_any does.
OrderResults order_results(const RunOptions& options, std::uint32_t orders, RunControl& control);

// As many orders as take about as long as a hundred runs of a thousand elements: 100 for few threads, none for many.
std::uint32_t affordable_orders(const Trace& trace);

} // namespace warptree::runs
