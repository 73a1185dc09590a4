// The names that a file's own comments give to the steps of its kernels.
//
//   // step: up: Sums of neighbouring stretches.
//   for (unsigned s = 1; s < B; s *= 2) …          its iterations are the steps "up: s = 1", "up: s = 2" …
//
//   v = warp_scan(v); // step: A                   the steps of the called function: "A: offset = 1" …
//   v = op(before, v); // step: add back           a step of one statement
//   // one step: totals
//   for (unsigned w = 0; w < warp; ++w) …          all iterations are one step
//
// The comment applies to its own line or, if it is alone there, to the next line that is not a comment. The text after
// a second colon is a sentence shown with the step.
#pragma once

#include "app/compile/program/program.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>

namespace warptree::compile {

struct StepNote {
    std::string name, sentence;
    bool whole = false; // "one step"
};

class StepNotes {
  public:
    explicit StepNotes(std::span<const SourceText> files);
    // The note at the location, or at the innermost call through which it was inlined that has one; nullptr: none.
    const StepNote* at(std::span<const Location> locations, std::uint32_t location) const;
    // Likewise, but only at the location itself.
    const StepNote* on_line_of(std::span<const Location> locations, std::uint32_t location) const;
    bool empty() const { return notes_.empty(); }

  private:
    std::map<std::pair<std::uint32_t, std::uint32_t>, StepNote> notes_; // by file and line
};

} // namespace warptree::compile
