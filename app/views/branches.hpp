// The warps that branches split in a step though none of its combines does.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace warptree::scene {

struct SplitWarps {
    std::size_t warps = 0, traced = 0;
    std::vector<SourceLine> lines; // of the branches, in the order of the text, each once
};
SplitWarps split_by_branches(const Launch& launch, std::uint32_t step);
// Whether they do and nothing that is counted of the step tells: all of its lanes are active at one time or another.
bool splits_unseen(const Launch& launch, std::uint32_t step);

// "line 6", "lines 6, 7 and 10", "lines 6, 7, 10 and 2 more"
std::string written_lines(const Trace& trace, const std::vector<SourceLine>& lines);

// " Line 6 splits warp 0: 16 of its 32 lanes go one way, and after that the other 16." of the first warp traced; empty: none is split.
std::string first_split(const Trace& trace, const Launch& launch, std::uint32_t step);

} // namespace warptree::scene
