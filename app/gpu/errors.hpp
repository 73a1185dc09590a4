// What the driver and the device may answer, told apart.
#pragma once

#include "app/base/error.hpp"
#include "app/gpu/driver_api.hpp"

#include <string>

namespace warptree::gpu {

// libcuda is not here, or finds no device.
struct NoDriver : MissingDevice {
    using MissingDevice::MissingDevice;
};
// The driver is older than the code it is given.
struct DriverTooOld : MissingDevice {
    using MissingDevice::MissingDevice;
};
// The device took the code for no program: a fault of ours or of the compiler.
struct BadCode : DeviceError {
    using DeviceError::DeviceError;
};
struct OutOfMemory : DeviceError {
    using DeviceError::DeviceError;
};
// The kernel asks for more threads, registers or shared memory than a block may have.
struct OutOfResources : DeviceError {
    using DeviceError::DeviceError;
};
// The kernel did what ends it, and the context with it: an address that is not its own, a trap, an assertion.
struct KernelFault : DeviceError {
    using DeviceError::DeviceError;
};
// It did not end within its time; the context is given up.
struct TimedOut : DeviceError {
    using DeviceError::DeviceError;
};
// Nothing can be done with the device any more: it was reset, fell off the bus, or an error of its memory.
struct DeviceLost : DeviceError {
    using DeviceError::DeviceError;
};
// NVRTC is not here.
struct NoCompiler : MissingDevice {
    using MissingDevice::MissingDevice;
};

// Throws what `result` stands for, in one line that begins with `what`, as in "running the kernel". `detail`: what the
// driver says beside it.
[[noreturn]] void fail(api::Result result, const std::string& what, const std::string& detail = {});

} // namespace warptree::gpu
