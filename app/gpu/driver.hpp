// The NVIDIA driver, found at run time: libcuda.so.1.
#pragma once

#include "app/gpu/driver_api.hpp"
#include "app/gpu/errors.hpp"

#include <string>

namespace warptree::gpu {

// The driver's functions, after cuInit. Throws NoDriver, DriverTooOld. $WARPTREE_DRIVER names another library.
const api::DriverFunctions& driver();

// Whether there is a driver, with a device. why_not(): one line; empty when there is.
bool usable();
std::string why_not();

int driver_version(); // 13000 for CUDA 13.0; 0: no driver

// Throws as fail() does. After give_up(), a KernelFault or a DeviceLost the driver is not called any more.
void check(api::Result result, const char* what);

// For a kernel that does not end: this process no longer waits for it, and its exit releases the device.
void give_up();
bool given_up(); // so, or since a kernel failed or the device was lost: why_not() says which

} // namespace warptree::gpu
