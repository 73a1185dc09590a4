// A program as the machine wants it: with what it asks of blocks at hand, and for blocks that are only counted without the
// instructions that only tell the values of variables.
#pragma once

#include "app/compile/program.hpp"
#include "app/compile/program_notes.hpp"

#include <cstdint>
#include <vector>

namespace warptree::simt {

// A function as it is run.
struct Body {
    const compile::FunctionCode* code = nullptr;
    std::vector<std::uint32_t> block_of;   // by instruction
    std::vector<std::uint32_t> stage_loop; // by block: the innermost combining loop around it; kNone: none
    std::uint32_t first_statement = 0;     // its statements' numbers among those of all functions begin here
};

class Prepared {
  public:
    // Refers to the program as long as it lives.
    explicit Prepared(const compile::Program& program);
    Prepared(const Prepared&) = delete;
    Prepared& operator=(const Prepared&) = delete;

    const Body& body(std::uint32_t function, bool full) const { return full ? full_[function] : lean_[function]; }
    // Whether loop `inner`, or one around it, is `outer`.
    bool within(std::uint32_t inner, std::uint32_t outer) const;
    // What the source calls the step at a location; nullptr: nothing.
    const compile::StepNote* note(std::uint32_t location) const { return notes_.at(program_.locations, location); }
    // Likewise, but on its own line alone.
    const compile::StepNote* note_on_line(std::uint32_t location) const {
        return notes_.on_line_of(program_.locations, location);
    }
    // All turns of the loop are one step.
    bool is_one_step(std::uint32_t loop) const { return one_step_[loop]; }
    // By location: the first location of the same name; 0: it has none. Empty: nothing has.
    const std::vector<std::uint32_t>& named() const { return named_; }
    // A kernel accesses parts of words of shared memory.
    bool has_small_shared_accesses() const { return small_shared_; }

  private:
    Body body_of(const compile::FunctionCode& code, std::uint32_t first_statement) const;

    const compile::Program& program_;
    std::vector<compile::FunctionCode> without_watches_;
    std::vector<Body> full_, lean_;
    compile::StepNotes notes_;
    std::vector<bool> one_step_; // by loop
    std::vector<std::uint32_t> named_;
    bool small_shared_ = false;
};

} // namespace warptree::simt
