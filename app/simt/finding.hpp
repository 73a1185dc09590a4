// Collects the findings of a block or a launch.
#pragma once

#include "app/compile/program/program.hpp"
#include "app/trace/model/execution.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace warptree::simt {

// The source line of a location in the program.
SourceLine line_at(const compile::Program& program, std::uint32_t location);

// "2147483647 + 1", of which an int holds only what is left of it: a risk, as a hash may mean just that.
Finding overflow_of(std::int64_t a, char operation, std::int64_t b, std::int64_t exact);

// The first finding of each kind and pair of lines, with its number of occurrences; of races, the first between warps.
class Findings {
  public:
    static constexpr std::size_t kMost = 200;
    void add(Finding finding);
    bool ends_the_run() const { return ends_; }
    const std::vector<Finding>& list() const { return list_; }
    std::vector<Finding>& list() { return list_; }
    void clear() {
        list_.clear();
        places_.clear();
        ends_ = false;
    }
    // Races within a warp come last.
    void sort();
    // Adds those of a later block.
    void append(const Findings& other);

  private:
    using Key = std::tuple<FindingKind, std::uint64_t, std::uint64_t>;
    static Key key(const Finding& finding);

    std::vector<Finding> list_;
    std::map<Key, std::size_t> places_; // in list_
    bool ends_ = false;
};

} // namespace warptree::simt
