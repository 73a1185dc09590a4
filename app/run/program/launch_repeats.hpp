// Launches that need not run again: the same kernel with the same arguments, nothing that it reads has changed since, and it
// finds in what it reads and writes what it found then, as in a loop that measures. It would store the same again.
#pragma once

#include "app/simt/machine.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <vector>

namespace warptree::runs {

class LaunchRepeats {
  public:
    struct Asked {
        std::uint32_t kernel = 0;
        simt::Extent grid{}, block{}, cluster{};
        std::uint64_t shared = 0;
        std::vector<std::byte> arguments;
        bool operator==(const Asked&) const = default;
    };
    struct Made {
        Asked asked;
        simt::Touched touched;
        std::map<std::uint32_t, std::vector<std::byte>> after; // of the arrays of touched.before
        Launch launch;                                         // what the trace has of it
        std::chrono::steady_clock::duration took{};
    };
    // The launch that this one would repeat; null: it has to run. Memory is then as it left it.
    const Made* repeat(const Asked& asked, simt::Memory& memory);
    // A launch that had nothing to tell, after wrote() of what it stored. Not kept if it changes large arrays.
    void add(Made made);
    // An array was written.
    void wrote(std::uint32_t array);
    // Arrays may have become others, or anything may have been written.
    void forget() { made_.clear(); }

  private:
    static constexpr std::size_t kMost = 64;
    std::list<Made> made_;
};

} // namespace warptree::runs
