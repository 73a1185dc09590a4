// Runs a kernel file for several sizes, blocks and orders, and reports where it fails: for courses.
#pragma once

#include "app/base/options.hpp"
#include "app/compile/program.hpp"
#include "app/trace/model/trace.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warptree::runs {

struct CheckRequest {
    RunOptions options;              // of the file; n, block and order are replaced
    std::vector<std::uint64_t> n;    // 0: chosen by the program; empty: a selection of edge cases
    std::vector<std::string> blocks; // "128", "16,16"; empty: from the file, or chosen by the program
    std::vector<std::string> types;  // element types it may have; empty: any
    std::vector<WarpOrder> orders;   // empty: in order
    bool no_findings = false;        // any finding fails, even races with a right result
    std::optional<std::uint64_t> most_excess_wavefronts; // above the ideal, in total
    std::optional<std::uint64_t> most_barriers;          // per block
    std::chrono::milliseconds limit{10000};              // per run
};

struct CheckRun {
    std::uint64_t n = 0;
    std::string block, type;
    WarpOrder order = WarpOrder::in_order;
    bool pass = true;
    bool expected = false; // its output was compared with a reference
    std::string reason;    // why it fails, in one line
    std::vector<Finding> findings;
    std::vector<std::string> finding_texts;
    double seconds = 0;
};

struct CheckResult {
    std::string file, kernel, expect;
    bool pass = true;
    std::string reason; // why there is no run: it does not compile
    std::vector<compile::Diagnostic> diagnostics;
    std::vector<CheckRun> runs;
    // The failing run of the smallest n, then the smallest block; its report in full.
    std::optional<std::size_t> counter_example;
    std::string counter_example_report;
};

// Throws only Cancelled: failures are in the result. `tell` is called after each run.
CheckResult check(const CheckRequest& request, RunControl& control, const std::function<void(const CheckRun&)>& tell);

std::string check_json(const std::vector<CheckResult>& results);
std::string check_junit(const std::vector<CheckResult>& results);

} // namespace warptree::runs
