// A run's points as text for a terminal.
#pragma once

#include "app/measure/timing/table.hpp"

#include <string>
#include <vector>

namespace warptree::timing {

// Provenance, a table of points for each n, type, operation and quantity, and what was skipped and why. Percentages
// are of the theoretical peak, and of the fastest read or copy of the same series.
std::string to_text(const Series& series);
// For a document: a table of points for each n, type, operation, mode and quantity.
std::string to_markdown(const Series& series);
// Every point, for the tables of table.hpp; without speed-ups, which need an order.
std::vector<Row> all_rows(const Series& series);

} // namespace warptree::timing
