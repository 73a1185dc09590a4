// Accesses past the n elements of arrays whose size nobody stated, by a kernel that is told n.
#pragma once

#include "app/run/launch_run.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warptree::runs {

struct PastTheEnd {
    std::uint32_t parameter = 0; // the array
    std::uint64_t last = 0;      // element that was reached, `elements` or more
    std::uint64_t elements = 0;  // that it may have
    std::string of;              // which are "n", or "rows * cols"
    bool one_edge = false;       // whether the first thread, or block, loads less than the last one does
    bool by_block = false;       // of these: the block
    bool meant = false;          // it stores one more than it loads, as where rows begin: that many are meant
};
// Whether the code has rows, or columns, that are longer than one of the sizes that the kernel is told: i * (n + 1) + j.
bool rows_are_longer(const compile::Program& program, const compile::Kernel& kernel);

// The arrays of which the launch reached one element past its n, or past the product of two sizes, or of which every thread
// loaded what it has its number for, those beyond n, too. Whether they have so many is not known; what holds indices, as the
// beginnings of rows, has one more.
std::vector<PastTheEnd> past_the_end(const LaunchRun& run);

// Whether there is an array of which the launch loaded some elements past n.
bool passes_an_edge(const LaunchRun& run);

// The arrays of which the last thread, or the last block, loaded some elements past n, where the first one is kept from what is
// before them: a guard stands at one edge alone. launch: what the run recorded.
std::vector<PastTheEnd> past_one_edge(const LaunchRun& run, const Launch& launch);

// The same of that launch, whose n is the only thing that differs: "out of bounds (risk)", " if in has n elements: …".
OtherLaunch past_the_end_of(const LaunchRun& run, const PastTheEnd& found);

} // namespace warptree::runs
