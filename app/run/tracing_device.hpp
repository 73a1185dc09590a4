// The GPU that launches are traced on, for whoever has one: runs know only this of it. Without one every run is interpreted.
#pragma once

#include "app/simt/launch_setup.hpp"
#include "app/trace/model/trace.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace warptree::runs {

class TracingDevice {
  public:
    virtual ~TracingDevice() = default;
    virtual bool usable() const = 0;
    // These throw MissingDevice, which says why, if it is not usable.
    virtual Device facts() const = 0;
    virtual std::string architecture() const = 0; // "sm_90"
    // Runs the instrumented code of setup.program (Program::code) on the contents of setup.memory, variables of the program
    // included, which stay unchanged, and returns what each thread logged. Pointers to memory of setup.memory are translated in
    // arguments, and in arrays of pointers, records and 64-bit integers. Throws OptionError if there is no code or the log is too
    // large, DeviceError.
    virtual std::unique_ptr<simt::DeviceLog> log(const simt::LaunchSetup& setup,
                                                 std::chrono::milliseconds limit) const = 0;
};

// Of this process: one that is not usable, until another one, which outlives every run, is set.
const TracingDevice& tracing_device();
void set_tracing_device(const TracingDevice& device);

} // namespace warptree::runs
