// The devices that a program sees: equal ones, in one address space, each with memory and variables of its own.
#pragma once

#include "app/simt/memory.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace warptree::runs {

class ProgramDevices {
  public:
    explicit ProgramDevices(std::uint32_t count) : used_(count), variables_(count) {}

    std::uint32_t count() const { return static_cast<std::uint32_t>(used_.size()); }
    std::uint32_t current() const { return current_; } // of the thread whose call is answered
    void use(std::uint32_t device) { current_ = device; }

    // Bytes that are allocated there.
    std::uint64_t used(std::uint32_t device) const { return used_[device]; }
    void allocated(std::uint32_t allocation, std::uint64_t bytes);
    void freed(std::uint32_t allocation, std::uint64_t bytes);
    std::uint32_t owner(std::uint32_t allocation) const {
        return allocation < owners_.size() ? owners_[allocation] : 0;
    }

    // Whether kernels of `from` may use memory of `to`.
    bool reaches(std::uint32_t from, std::uint32_t to) const { return from == to || peers_.count({from, to}) != 0; }
    bool enable(std::uint32_t to) { return peers_.insert({current_, to}).second; } // false: it was
    bool disable(std::uint32_t to) { return peers_.erase({current_, to}) != 0; }   // false: it was not

    // Variables have one place for all devices: it gets what those of the current one hold. `known`: their allocations.
    void show_variables(simt::Memory& memory, const std::vector<std::uint32_t>& known);

  private:
    using Image = std::vector<std::byte>;
    std::vector<std::uint64_t> used_;
    std::vector<std::uint32_t> owners_; // by allocation
    std::set<std::pair<std::uint32_t, std::uint32_t>> peers_;
    std::vector<std::vector<Image>> variables_; // by device, in the order of `known`; empty: as they began
    std::vector<Image> initial_;
    std::uint32_t current_ = 0, shown_ = 0;
};

} // namespace warptree::runs
