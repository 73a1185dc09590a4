// Which step a mark belongs to: as the interpreter met the same marks in the same launch.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace warptree::clocks {

class StepMarks {
  public:
    // `launch`: of a program with marks (compile::mark_lines), whose __syncwarps they are; blocks of its window count.
    explicit StepMarks(const Launch& launch);

    struct OfWarp {
        std::map<std::uint32_t, std::vector<std::uint16_t>> lines; // steps, visit by visit, by packed line
        std::vector<std::uint16_t> barriers;                       // steps that they end, in the order of the warp's
        std::optional<std::uint16_t> first;                        // step that it does anything in
    };
    // Of that warp, or where its block was not kept of one that was; nullptr: there is none.
    const OfWarp* of(std::uint32_t block, std::uint32_t warp) const;

    // The lines at which a step begins that is not the first of its warp.
    std::vector<std::uint32_t> beginnings() const;

  private:
    std::uint32_t first_ = 0, blocks_ = 0, warps_ = 0;
    std::vector<OfWarp> all_;
    std::vector<std::uint32_t> beginnings_;
};

} // namespace warptree::clocks
