// The part of manifest.json for kernel files: how they were launched, the memory they accessed, what went wrong. Traces
// of strategies recorded before kernels were plain CUDA do not have it.
#pragma once

#include "app/trace/model/trace.hpp"

#include <nlohmann/json.hpp>

namespace warptree::manifest {

nlohmann::ordered_json of_kernel(const Trace& trace);          // null without a kernel name
nlohmann::ordered_json of_kernel_launch(const Launch& launch); // null without allocations
nlohmann::ordered_json of_finding(const Finding& finding);

// Throw CorruptTrace, or the JSON library's exceptions for missing members.
void read_kernel(const nlohmann::ordered_json& j, Trace& trace);
void read_kernel_launch(const nlohmann::ordered_json& j, Launch& launch);
Finding read_finding(const nlohmann::ordered_json& j);

} // namespace warptree::manifest
