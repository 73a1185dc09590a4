// A launch that logs what it does, on the GPU.
#pragma once

#include "app/simt/launch_setup.hpp"

#include <chrono>
#include <memory>

namespace warptree::runs {

// Runs the instrumented code of setup.program (Program::code) on the contents of setup.memory, which stay unchanged:
// once to count what each thread logs, and again to log it. Throws OptionError where there is no code, DeviceError.
std::unique_ptr<simt::DeviceLog> log_on_gpu(const simt::LaunchSetup& setup, std::chrono::milliseconds limit);

} // namespace warptree::runs
