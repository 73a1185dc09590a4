// The errors of the driver and the device, as types.
#pragma once

#include "app/base/error.hpp"
#include "app/gpu/driver_api.hpp"

#include <string>

namespace warptree::gpu {

// libcuda is not installed, or finds no device.
struct NoDriver : MissingDevice {
    using MissingDevice::MissingDevice;
};
// The driver is older than the code it is given.
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
// The kernel asks for more threads, registers or shared memory than a block may have.
struct OutOfResources : DeviceError {
    using DeviceError::DeviceError;
};
// The kernel failed, which ends its context too: an illegal address, a trap, an assertion.
struct KernelFault : DeviceError {
    using DeviceError::DeviceError;
};
// It did not end within its time limit; the context is given up.
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

// Throws the error that `result` stands for, in one line that begins with `what`, e.g. "running the kernel". `detail`:
// what the driver adds.
[[noreturn]] void fail(api::Result result, const std::string& what, const std::string& detail = {});

} // namespace warptree::gpu
