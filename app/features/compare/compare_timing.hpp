// Measured times beside traces: of the same kernels, at the one condition that covers most of them.
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
    std::uint64_t n = 0;                        // elements, as a rule not those of the traces
    std::vector<std::optional<double>> seconds; // one per column: the median of the samples, or as published
    std::size_t known() const;                  // columns with a time
};
// Of points of the trace's strategy, type and operator. Among conditions (elements, block, cache, what the time is of)
// the one with most columns, then the block of the first column, then most elements. A trace with another bank rule than
// the hardware's has no time.
MeasuredTimes measured_times(std::span<const ComparedTrace> columns, const timing::Series& series);

// The series with times for most columns, the first of equal ones; null where none has any.
const timing::Series* fitting_series(std::span<const ComparedTrace> columns, std::span<const timing::Series> all);

} // namespace warptree::scene
