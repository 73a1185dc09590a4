// The table of a comparison, rebuilt only when something has changed.
#pragma once

#include "app/features/compare/compare.hpp"
#include "app/features/compare/comparison.hpp"
#include "app/measure/timing/results.hpp"

#include <span>
#include <string>
#include <vector>

namespace warptree::pages {

const RunOptions& options_of(const session::Comparison::Column& column); // those of its trace, else those requested
std::string title_of(const session::Comparison::Column& column);
std::string note_of(const session::Comparison::Column& column); // beside the title: of a launch its kernel

class CompareNumbers {
  public:
    // Keeps a reference.
    explicit CompareNumbers(const session::Comparison& comparison) : comparison_(comparison) {}
    const scene::CompareTable& table() const { return table_; }
    enum class Change : std::uint8_t { none, step, all };
    // While a column is still being traced, the previous table stays.
    Change refresh();
    // Switches to the next series with a time for some column; returns a notice about it, or nothing.
    std::string turn_series();

    std::string series; // of the measured times; empty: the one with times for most columns

    std::vector<scene::ComparedTrace> compared() const;
    const timing::Series* chosen(std::span<const scene::ComparedTrace> all) const; // `series`, or that; nullptr: none

  private:
    const session::Comparison& comparison_;
    scene::CompareTable table_;
    std::uint64_t version_ = 0; // of the comparison that the table shows; 0: none
    std::uint32_t place_ = 0;
};

} // namespace warptree::pages
