// A program prepared for the machine: with lookup tables, and a second copy of the code, for blocks that are only
// counted, without the instructions that record values of variables.
#pragma once

#include "app/compile/program/notes.hpp"
#include "app/compile/program/program.hpp"
#include "app/simt/comparisons.hpp"

#include <cstdint>
#include <vector>

namespace warptree::simt {

// A function as the machine runs it.
struct Body {
    const compile::FunctionCode* code = nullptr;
    std::vector<std::uint32_t> block_of;   // by instruction
    std::vector<std::uint32_t> stage_loop; // by block: the innermost combining loop around it; kNone: none
    std::uint32_t first_statement = 0;     // index of its first statement among the statements of all functions
};

class Prepared {
  public:
    // Refers to the launch's program, which must outlive it. Where only findings are wanted, the lean code has no data flow and no
    // statements.
    explicit Prepared(const LaunchSetup& setup);
    Prepared(const Prepared&) = delete;
    Prepared& operator=(const Prepared&) = delete;

    const Body& body(std::uint32_t function, bool full) const { return full ? full_[function] : lean_[function]; }
    // Whether loop `inner`, or one around it, is `outer`.
    bool within(std::uint32_t inner, std::uint32_t outer) const;
    // The name that the source gives the step at a location; nullptr: none.
    const compile::StepNote* note(std::uint32_t location) const { return notes_.at(program_.locations, location); }
    // Likewise, but only from a note on that very line.
    const compile::StepNote* note_on_line(std::uint32_t location) const {
        return notes_.on_line_of(program_.locations, location);
    }
    // All iterations of the loop are one step.
    bool is_one_step(std::uint32_t loop) const { return one_step_[loop]; }
    // By location: the first location with the same name; 0: it has none. Empty: no location has one.
    const std::vector<std::uint32_t>& named() const { return named_; }
    // Whether the access at a location is half of an update, x[i] += y: a load and a store of one element in one line.
    bool updates(std::uint32_t location) const { return updates_[location]; }
    // The same by adding: where two store the same, one addition is lost.
    bool adds(std::uint32_t location) const { return adds_[location]; }
    // Whether the branch at a location is of a statement around a barrier.
    bool around_barrier(std::uint32_t location) const { return around_barrier_[location]; }
    // Whether a value that a load at a location gets is what an atomicCAS of the same element expects: where the load raced, the
    // exchange fails and the loop goes on.
    bool guesses(std::uint32_t location) const { return guesses_[location]; }
    const Comparisons& comparisons() const { return comparisons_; }
    // Of integers; see LaunchSetup.
    bool tells_overflow() const { return tells_overflow_; }
    // Whether the program may merge records: merging.hpp.
    bool merges_records() const { return merges_records_; }
    // Whether the program may access shared memory in units of less than a word.
    bool has_small_shared_accesses() const { return small_shared_; }
    // The same for global memory.
    bool has_small_global_accesses() const { return small_global_; }

  private:
    void find_barriers();
    void find_updates(const compile::FunctionCode& code);
    void find_guesses(const compile::FunctionCode& code);
    Body body_of(const compile::FunctionCode& code, std::uint32_t first_statement) const;

    const compile::Program& program_;
    Comparisons comparisons_;
    std::vector<compile::FunctionCode> without_watches_;
    std::vector<Body> full_, lean_;
    compile::StepNotes notes_;
    std::vector<bool> one_step_; // by loop
    std::vector<std::uint32_t> named_;
    std::vector<bool> updates_, adds_, guesses_, around_barrier_; // by location
    bool small_shared_ = false, small_global_ = false, merges_records_ = false, tells_overflow_ = false;
};

} // namespace warptree::simt
