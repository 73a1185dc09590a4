// What a file's own comments call the steps of its kernels.
//
//   // step: up: Sums of neighbouring stretches.
//   for (unsigned s = 1; s < B; s *= 2) …          the loop's turns are the steps "up: s = 1", "up: s = 2" …
//
//   v = warp_scan(v); // step: A                   those of what is called here: "A: offset = 1" …
//   v = op(before, v); // step: add back           a step of one statement
//   // one step: totals
//   for (unsigned w = 0; w < warp; ++w) …          all turns together are one step
//
// The comment is of the line on which it stands, or, on a line of its own, of the next one that is no comment. What follows
// a second colon is the sentence that the step begins with.
#pragma once

#include "app/compile/program.hpp"

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
    // At the place, or at the innermost call that it was inlined at and that has one. nullptr: none.
    const StepNote* at(std::span<const Location> locations, std::uint32_t location) const;
    // Likewise, but of the place itself alone.
    const StepNote* on_line_of(std::span<const Location> locations, std::uint32_t location) const;
    bool empty() const { return notes_.empty(); }

  private:
    std::map<std::pair<std::uint32_t, std::uint32_t>, StepNote> notes_; // by file and line
};

} // namespace warptree::compile
