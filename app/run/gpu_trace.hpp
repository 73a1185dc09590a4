// Runs an instrumented launch on the GPU and returns its log.
#pragma once

#include "app/simt/launch_setup.hpp"

#include <chrono>
#include <memory>

namespace warptree::runs {

// Runs the instrumented code of setup.program (Program::code) on the contents of setup.memory, variables of the program
// included, which stay unchanged: first to count each thread's events, then to log them. Pointers to memory of setup.memory
// are translated in arguments, and in arrays of pointers, records and 64-bit integers. Throws OptionError if there is no code
// or the log is too large, DeviceError.
std::unique_ptr<simt::DeviceLog> log_on_gpu(const simt::LaunchSetup& setup, std::chrono::milliseconds limit);

} // namespace warptree::runs
