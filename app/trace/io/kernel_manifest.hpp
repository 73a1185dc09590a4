// What manifest.json holds of kernels of files: how they were called, the memory they worked on, what went wrong. Of a
// trace of a strategy it holds none of this.
#pragma once

#include "app/trace/model/trace.hpp"

#include <nlohmann/json.hpp>

namespace warptree::manifest {

nlohmann::ordered_json of_kernel(const Trace& trace);          // null for a strategy
nlohmann::ordered_json of_kernel_launch(const Launch& launch); // null where the launch names no memory

// Throw CorruptTrace, or the library's exceptions for what is missing.
void read_kernel(const nlohmann::ordered_json& j, Trace& trace);
void read_kernel_launch(const nlohmann::ordered_json& j, Launch& launch);

} // namespace warptree::manifest
