// Where the time goes inside a kernel: cycles of each step, and which multiprocessor ran each block when.
//
// Measured on a GPU only: one lane of each warp reads the cycle counter where a step may begin, and around barriers
// (app/compile/lower/clock_marks.hpp). A load is issued without waiting: its latency shows in the step, or at the barrier,
// that first needs the value. The cost of the readings, against the real kernel, is measured too (`overhead`).
#pragma once

#include "app/base/element.hpp"
#include "app/measure/clocks/marks.hpp"
#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::clocks {

// Cycles of one step, over all warps of the launch that execute it.
struct StepCycles {
    std::string label;                      // as a trace's Step::label
    std::uint64_t warps = 0;                // that execute it
    double least = 0, median = 0, most = 0; // cycles from its beginning to the next step's, including barriers
    double waiting = 0;                     // median of the cycles that a warp spends at block barriers
    friend bool operator==(const StepCycles&, const StepCycles&) = default;
};

struct BlockRun {
    std::uint32_t multiprocessor = 0;
    std::uint64_t begin_ns = 0, end_ns = 0; // since the first block began
    friend bool operator==(const BlockRun&, const BlockRun&) = default;
};

struct Recording {
    std::string device, compute_capability, driver, toolkit, commit, date;
    std::string strategy;
    std::uint64_t n = 0;
    std::uint32_t block = 0;
    ElementType type = ElementType::i32;
    std::uint32_t multiprocessors = 0; // of the device
    std::uint64_t timer_ns = 0;        // smallest increment seen of the timer behind begin_ns and end_ns
    // Median launch times without and with the readings, sampled alternately in one run, microseconds.
    double plain_us = 0, clocked_us = 0;
    std::uint32_t samples = 0; // of each
    std::vector<StepCycles> steps;
    std::vector<BlockRun> blocks; // by block index

    double overhead() const { return plain_us > 0 ? clocked_us / plain_us - 1 : 0; }
    friend bool operator==(const Recording&, const Recording&) = default;
};

// Both take the warps block by block, warps_per_block each.
// The steps of the trace's launch (step_marks.hpp) that some warp executes. marks: `capacity` for each warp.
std::vector<StepCycles> step_cycles(std::span<const WarpClock> warps, std::uint32_t warps_per_block,
                                    std::span<const Mark> marks, std::uint32_t capacity, const Launch& launch);
std::vector<BlockRun> block_runs(std::span<const WarpClock> warps, std::uint32_t warps_per_block);
// The smallest nonzero difference between two readings of the timer; 0 when all are equal.
std::uint64_t timer_step(std::span<const WarpClock> warps);

// Most blocks running at once on one multiprocessor, and how many multiprocessors run any.
struct Occupation {
    std::uint32_t most_blocks = 0, multiprocessors = 0;
    std::uint64_t end_ns = 0; // of the last block
};
Occupation occupation(std::span<const BlockRun> blocks);

const StepCycles* find_step(const Recording& recording, std::string_view label);

std::string to_json(const Recording& recording);
std::string to_text(const Recording& recording);
// Throws FileError: "file: reason".
Recording load(const std::filesystem::path& file);

} // namespace warptree::clocks
