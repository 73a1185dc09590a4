// Measured times of the traced kernels, at the one condition that covers most of them.
#pragma once

#include "app/features/compare/compare_table.hpp"
#include "app/measure/timing/results.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warptree::scene {

struct MeasuredTimes {
    std::string where;                          // "G80, 2007 (published): n = 4,194,304, B = 128"
    std::uint64_t n = 0;                        // elements, usually not as many as in the traces
    std::vector<std::optional<double>> seconds; // one per column: the median of the samples, or as published
    std::size_t known() const;                  // columns with a time
};
// From points of the trace's strategy, type and operator. The condition (elements, block, cache, quantity) is the one
// with most columns; then one of kernel times, of the first column's block, of most elements, with a cold cache. A
// trace with a number of banks other than 32 has no time.
MeasuredTimes measured_times(std::span<const ComparedTrace> columns, const timing::Series& series);

// The series with times for most columns, in a tie the first; null if none has any.
const timing::Series* fitting_series(std::span<const ComparedTrace> columns, std::span<const timing::Series> all);

} // namespace warptree::scene
