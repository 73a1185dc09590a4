// What the report on a kernel of a CUDA file has beside that on a strategy.
#pragma once

#include "app/trace/model/trace.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace warptree {

// A kernel of a file, rather than a strategy of the old kind.
inline bool is_kernel_file(const Trace& trace) { return !trace.kernel.empty(); }
// Nothing was expected: `pass` says nothing.
inline bool expects_nothing(const Trace& trace) {
    return is_kernel_file(trace) && (trace.expected.empty() || trace.expected == "none");
}

void add_kernel(nlohmann::ordered_json& report, const Trace& trace);
std::string kernel_heading(const Trace& trace); // what was run, with what, and what the program chose
std::string findings_text(const Trace& trace);  // one line each; empty: none
std::string kernel_verdict(const Trace& trace); // "correct: …", "the output equals …", and what was printed

} // namespace warptree
