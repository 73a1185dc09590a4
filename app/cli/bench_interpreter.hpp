// How fast the interpreter is on this machine.
#pragma once

#include <string>

namespace warptree::commands {

// Prints a table, and writes every sample to `json_path` where that is not empty. Returns an exit code.
int bench_interpreter(const std::string& json_path);

} // namespace warptree::commands
