// Loads of which the value is only compared, for equality, with a number that all threads have: a constant, an argument. What
// nobody can tell apart so is no matter of order: level[v] == current is as false of one that another thread writes as it was
// before.
#pragma once

#include "app/simt/launch_setup.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace warptree::simt {

class Comparisons {
  public:
    explicit Comparisons(const LaunchSetup& setup);

    bool any() const { return count_ != 0; }
    // The flag of a load's comparison, one of kComparisons (history.hpp); 0: it is used otherwise.
    std::uint16_t of_load(std::uint32_t location) const { return of_load_.empty() ? 0 : of_load_[location]; }
    // The flags of the comparisons that come out otherwise when an element of that many bytes changes.
    std::uint16_t changed(std::uint64_t from, std::uint64_t to, unsigned bytes) const;

  private:
    std::uint16_t flag(std::uint64_t number);

    static constexpr unsigned kMost = 10; // further ones are not told apart
    std::array<std::uint64_t, kMost> numbers_{};
    unsigned count_ = 0;
    std::vector<std::uint16_t> of_load_; // by location; empty: none
};

} // namespace warptree::simt
