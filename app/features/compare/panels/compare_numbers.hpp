// The table of a comparison, made anew only where something has changed.
#pragma once

#include "app/features/compare/compare.hpp"
#include "app/features/compare/comparison.hpp"
#include "app/measure/timing/results.hpp"

#include <span>
#include <string>
#include <vector>

namespace warptree::pages {

const RunOptions& options_of(const session::Comparison::Column& column); // of its trace, else as asked for
std::string title_of(const session::Comparison::Column& column);

class CompareNumbers {
  public:
    // Refers to it.
    explicit CompareNumbers(const session::Comparison& comparison) : comparison_(comparison) {}
    const scene::CompareTable& table() const { return table_; }
    enum class Change : std::uint8_t { none, step, all };
    // While a column is still traced, the table of before stays.
    Change refresh();
    // To the next series that knows a time of some column; what to say of it.
    std::string turn_series();

    std::string series; // of the measured times; empty: whichever knows most

    std::vector<scene::ComparedTrace> compared() const;
    const timing::Series* chosen(std::span<const scene::ComparedTrace> all) const; // `series`, or that; nullptr: none

  private:
    const session::Comparison& comparison_;
    scene::CompareTable table_;
    std::uint64_t version_ = 0; // of the comparison that the table is of; 0: none
    std::uint32_t place_ = 0;
};

} // namespace warptree::pages
