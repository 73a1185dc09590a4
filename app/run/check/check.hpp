// Runs a kernel file for several sizes, blocks and orders, and reports where it fails: for courses. In this process, one
// file; check_pool.hpp does it for many.
#pragma once

#include "app/base/options.hpp"
#include "app/compile/program/program.hpp"
#include "app/trace/model/trace.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warptree::runs {

inline constexpr std::array<std::uint64_t, 6> kCheckSizes{1, 31, 32, 33, 1000, 1024}; // unless the request has others

// A case of a program: what it is run with, and what has to come of it.
struct ProgramCase {
    std::string name; // empty: its arguments
    std::vector<std::string> arguments;
    std::vector<std::string> printed; // regular expressions: a line of its standard output matches each
    int exit = 0;                     // the exit code
    std::uint64_t points = 0;         // 0: a share of the file's
    bool hidden = false;              // not for students' eyes
};
struct ProgramCheck {
    std::vector<ProgramCase> cases;
    std::string data;         // the folder that programs run in and may read; empty: none
    std::string with;         // the course's file, which has the main; empty: the submission's own
    std::uint64_t points = 0; // that the course's file states for all cases together; 0: none
};

struct CheckRequest {
    std::optional<ProgramCheck> program; // whole programs; what is below about kernels then says nothing
    RunOptions options;                  // of the file; n, block and order are replaced
    std::vector<std::uint64_t> n;        // 0: chosen by the program; empty: kCheckSizes
    std::vector<std::string> blocks;     // "128", "16,16"; empty: from the file, or chosen by the program
    std::vector<std::string> types;      // element types it may have; empty: any
    std::vector<WarpOrder> orders;       // empty: in order
    bool no_findings = false;            // risks fail, too; faults always do, even if the result is right
    bool allow_races = false;            // races do not fail
    std::optional<std::uint64_t> most_excess_wavefronts; // above the ideal, in total
    std::optional<std::uint64_t> most_barriers;          // per block
    std::chrono::milliseconds limit{10000};              // per run, of processor time on each core
};

// A Finding in words, without the trace that it is from.
struct CheckFinding {
    struct Other {
        std::uint32_t line = 0, thread = 0, block = 0;
    };
    std::string kind, title, severity; // "race-shared"; "race"; "fault"
    std::string file;                  // as the source names it: "mine.cu", "warp.cuh"
    std::uint32_t line = 0, thread = 0, block = 0;
    std::optional<Other> other; // of a race
    std::string array;          // empty: none
    std::int64_t index = 0;     // of its element
    std::string text;           // the sentence
};

// Runs that are asked for, of a file that compiles.
std::size_t runs_of(const CheckRequest& request);

struct CheckRun {
    std::string name;         // of a program's case; empty: of a kernel
    std::uint64_t points = 0; // of the case, if it states them
    bool hidden = false;
    std::uint64_t n = 0;
    std::string block, type;
    WarpOrder order = WarpOrder::in_order;
    bool pass = true;
    bool expected = false; // its output was compared with a reference
    std::string reason;    // why it fails, in one line
    std::vector<CheckFinding> findings;
    double seconds = 0;
};

// "n 33, block 64, in-order", without a block if none was chosen yet; of a program, its case.
std::string name_of(const CheckRun& run);

struct CheckResult {
    std::string file, kernel, expect;
    bool pass = true;
    std::string reason; // why there is no run, or no further one: it does not compile; its process ended
    int signal = 0;     // that ended its process
    std::vector<compile::Diagnostic> diagnostics;
    std::vector<CheckRun> runs;
    // The failing run of the smallest n, then the smallest block; its report in full.
    std::optional<std::size_t> counter_example;
    std::string counter_example_report;
};

// Throws only Cancelled: failures are in the result. `tell` is called after each run.
CheckResult check(const CheckRequest& request, RunControl& control, const std::function<void(const CheckRun&)>& tell);

// launch: null for a finding of the host's half.
CheckFinding told(const Trace& trace, const Launch* launch, const Finding& finding);

} // namespace warptree::runs
