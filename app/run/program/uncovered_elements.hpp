// Elements that a program's launch leaves out though it is told how many there are: only what is left at the end is told, as
// another launch may take the rest.
#pragma once

#include "app/compile/program/program.hpp"
#include "app/trace/model/source_line.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace warptree::runs {

// Whether the numbers of threads are compared with each of these parameters as it is, and with no other number that the kernel is
// told: that many threads are then meant to work. A second bound, as the end of a part, or w - 1 says otherwise.
bool alone_bound_threads(const compile::Program& program, const compile::Kernel& kernel,
                         const std::vector<std::size_t>& sizes);

// Whether it uses none of the numbers that it is told, as where the guard is missing: each thread works wherever it is, once.
bool ignores_numbers(const compile::Program& program, const compile::Kernel& kernel);

class UncoveredElements {
  public:
    struct Asked { // a launch
        std::uint32_t kernel = 0;
        std::vector<std::uint64_t> arguments;                   // by parameter
        std::vector<std::uint32_t> used;                        // by parameter: its array, or kNone
        friend bool operator<(const Asked& a, const Asked& b) { // not every library orders vectors by <=>
            return std::tie(a.kernel, a.arguments, a.used) < std::tie(b.kernel, b.arguments, b.used);
        }
    };
    struct Suspect {
        Asked by;
        std::uint32_t array = 0;
        std::vector<std::uint64_t> ends; // where another launch would begin: threads, elements reached
        SourceLine line;
        std::string text, name;
    };
    void launched(const compile::Program& program, const Asked& asked);
    void suspect(const compile::Program& program, Suspect suspect);
    // Those of which no launch took the rest.
    const std::vector<Suspect>& left() const { return left_; }

  private:
    static bool takes_rest(const compile::Program& program, const Suspect& of, const Asked& other);

    static constexpr std::size_t kMost = 4096;
    std::set<Asked> asked_;
    std::vector<Suspect> left_;
};

} // namespace warptree::runs
