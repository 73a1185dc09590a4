// Which step a mark belongs to: the step in which the interpreter reached the same mark in the same launch.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace warptree::clocks {

class StepMarks {
  public:
    // `launch`: of a program whose marks are __syncwarps (compile::mark_lines); only blocks in its window are used.
    explicit StepMarks(const Launch& launch);

    struct OfWarp {
        std::map<std::uint32_t, std::vector<std::uint16_t>> lines; // by packed line: the step of each visit
        std::vector<std::uint16_t> barriers;                       // the step that each ends, in the warp's order
        std::optional<std::uint16_t> first;                        // first step in which the warp does anything
    };
    // The marks of that warp or, if its block was not recorded, of the same warp in one that was; nullptr: none.
    const OfWarp* of(std::uint32_t block, std::uint32_t warp) const;

    // The lines at which a step begins, other than a warp's first.
    std::vector<std::uint32_t> beginnings() const;

  private:
    std::uint32_t first_ = 0, blocks_ = 0, warps_ = 0;
    std::vector<OfWarp> all_;
    std::vector<std::uint32_t> beginnings_;
};

} // namespace warptree::clocks
