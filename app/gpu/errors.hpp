// Error types of the driver and the device.
#pragma once

#include "app/base/error.hpp"
#include "app/gpu/driver_api.hpp"

#include <string>

namespace warptree::gpu {

// libcuda is not installed, or finds no device.
struct NoDriver : MissingDevice {
    using MissingDevice::MissingDevice;
};
// The driver is too old for this program, or for the code it is given.
struct DriverTooOld : MissingDevice {
    using MissingDevice::MissingDevice;
};
// The driver rejected the code: a bug of this program or of the compiler.
struct BadCode : DeviceError {
    using DeviceError::DeviceError;
};
struct OutOfMemory : DeviceError {
    using DeviceError::DeviceError;
};
// The kernel needs more threads, registers or shared memory than a block may have.
struct OutOfResources : DeviceError {
    using DeviceError::DeviceError;
};
// The kernel failed (an illegal address, a trap, an assertion); its context is unusable.
struct KernelFault : DeviceError {
    using DeviceError::DeviceError;
};
// The kernel did not end within its time limit; the context is no longer used.
struct TimedOut : DeviceError {
    using DeviceError::DeviceError;
};
// The device is lost: it was reset, fell off the bus, or has a memory error.
struct DeviceLost : DeviceError {
    using DeviceError::DeviceError;
};
// NVRTC is not installed.
struct NoCompiler : MissingDevice {
    using MissingDevice::MissingDevice;
};

// Throws the error for `result`; its message is one line that begins with `what`, e.g. "running the kernel". `detail`:
// text added by the driver.
[[noreturn]] void fail(api::Result result, const std::string& what, const std::string& detail = {});

} // namespace warptree::gpu
