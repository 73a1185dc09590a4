// What the report on a kernel file adds to the report on a strategy.
#pragma once

#include "app/trace/model/trace.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace warptree {

// Whether the trace is of a kernel file, rather than a strategy in an old trace file.
inline bool is_kernel_file(const Trace& trace) { return !trace.kernel.empty(); }
// Whether nothing was expected, so that `pass` means nothing.
inline bool expects_nothing(const Trace& trace) {
    return is_kernel_file(trace) && (trace.expected.empty() || trace.expected == "none");
}

void add_kernel(nlohmann::ordered_json& report, const Trace& trace);
std::string shape_text(const std::array<std::uint32_t, 3>& shape); // "4 × 2"
// Whether its blocks form clusters of several.
inline bool in_clusters(const Launch& launch) { return launch.cluster != std::array<std::uint32_t, 3>{1, 1, 1}; }
std::string kernel_heading(const Trace& trace); // kernel, launch, arguments, what the program chose
std::string findings_text(const Trace& trace);  // one line each; empty: none
// Why there is no tree: "not recognised as a reduction: …"; empty: there is one, or the run ended early.
std::string missing_tree(const Trace& trace);
std::string kernel_verdict(const Trace& trace); // what was printed, the outputs, "it equals …"

} // namespace warptree
