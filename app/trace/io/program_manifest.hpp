// The part of manifest.json for whole programs: what they did beside their launches.
#pragma once

#include "app/trace/model/trace.hpp"

#include <nlohmann/json.hpp>

namespace warptree::manifest {

nlohmann::ordered_json of_program(const Trace& trace); // null for a kernel alone
// What a launch of a program has beside one of a kernel alone; null for that.
nlohmann::ordered_json of_program_launch(const Launch& launch);

// Throw CorruptTrace, or the JSON library's exceptions for missing members.
void read_program(const nlohmann::ordered_json& j, Trace& trace);
void read_program_launch(const nlohmann::ordered_json& j, Launch& launch);

} // namespace warptree::manifest
