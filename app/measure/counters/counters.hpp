// Hardware counters of the real kernels, beside what a trace of the same launch predicts.
//
// Recorded by script/counters with Nsight Compute, one row per launch; every count is a sum over the whole launch.
#pragma once

#include "app/trace/model/trace.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::counters {

// The counters that both hardware and trace have, by the names of counter_fields().
std::span<const CounterField> compared_fields();

// Instruction counts of the kernel's machine code, from its disassembly.
struct MachineCode {
    std::uint64_t instructions = 0;
    std::uint64_t branches = 0;      // predicated branches
    std::uint64_t reconvergence = 0; // reconvergence points of a warp's lanes (BSSY)
    std::uint64_t predicated = 0;    // other predicated instructions
    std::uint64_t shared_loads = 0, shared_stores = 0;
    friend bool operator==(const MachineCode&, const MachineCode&) = default;
};

struct Row {
    std::string strategy;
    std::uint64_t n = 0;
    std::uint32_t block = 0;
    ElementType type = ElementType::i32;
    std::uint32_t grid = 0;
    Counters predicted, counted; // compared_fields() only
    // Average lanes per issued instruction, 0 … 32: active; and active but not predicated off.
    double active_lanes = 0, predicated_on_lanes = 0;
    double predicted_lanes = 0;           // active lanes of a combining warp, in the trace
    std::uint64_t divergent_branches = 0; // executed branches whose lanes diverged
    std::optional<MachineCode> code;
};

struct Recording {
    std::string device, compute_capability, driver, toolkit, ncu, commit, date;
    std::vector<Row> rows;
};

// Throws FileError: "file: reason".
Recording load_recording(const std::filesystem::path& file);

// A row's launch as options for the interpreter: only the first kernel, with Finish::host if the strategy allows it.
RunOptions options_of(std::string_view strategy, std::uint64_t n, std::uint32_t block, ElementType type);
// What the interpreter's trace of the first launch predicts.
struct Prediction {
    Counters counters; // compared_fields() only
    double lanes = 0;  // see Row::predicted_lanes; 0 when no warp combines in shared memory or registers
    std::uint32_t grid = 0;
};
Prediction predict(const Trace& trace);

// One line: whether the compiler predicated the code or branched around it.
std::string how_compiled(const Row& row);
// One line on wavefronts (global sectors where there is no shared memory), summed over the launch.
std::string headline(const Row& row);
// The row of a strategy nearest to a block size and type: exact matches first; nullptr when there is none.
const Row* nearest(const Recording& recording, std::string_view strategy, std::uint32_t block, ElementType type);

} // namespace warptree::counters
