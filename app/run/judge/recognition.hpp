// What a kernel computes, told from what it made of several inputs: "the sum of in", "the dot product of x and y".
#pragma once

#include "app/run/judge/expectation.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warptree::runs {

// One run of a kernel of which nothing is expected.
struct Observed {
    struct Input {
        std::string name;
        Numbers values;         // before the run; at least max(n, used)
        std::uint64_t used = 0; // elements up to the last that the kernel reached
    };
    struct Scalar {
        std::string name;
        double value = 0;
        bool whole = true;
    };
    std::vector<Input> inputs;   // arrays with contents
    std::vector<Scalar> scalars; // the other arguments
    Numbers output;
    std::uint64_t n = 0, block = 1, blocks = 1;
    std::uint64_t depth = 0; // combines on the longest path to the output
};

struct Form; // a result that has a name

// The names that fit all runs so far. A name stands only for what differs from run to run, so that it could have failed:
// a constant, and a result whose value no input changes, have none.
class Recognition {
  public:
    explicit Recognition(const Observed& shown);
    ~Recognition();
    Recognition(Recognition&&) noexcept;
    Recognition& operator=(Recognition&&) noexcept;

    bool any() const { return !left_.empty(); }
    void hold(const Observed& run);          // drops the names that do not fit it
    std::string name() const;                // the simplest that is left; empty: none, or fewer than three runs
    bool holds(std::string_view name) const; // it fits all runs so far

  private:
    struct Candidate;
    std::vector<Candidate> left_; // the simplest first
    std::size_t runs_ = 0;
};

} // namespace warptree::runs
