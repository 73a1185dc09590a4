// The NVIDIA driver, libcuda.so.1, loaded at run time.
#pragma once

#include "app/gpu/driver_api.hpp"
#include "app/gpu/errors.hpp"

#include <string>

namespace warptree::gpu {

// The driver's functions, after cuInit. Throws NoDriver, DriverTooOld. $WARPTREE_DRIVER names another library.
const api::DriverFunctions& driver();

// Whether there is a driver with a usable device. why_not(): one line that says why not; empty when there is.
bool usable();
std::string why_not();

int driver_version(); // 13000 for CUDA 13.0; 0: no driver

// Calls fail() unless `result` is success. After give_up(), KernelFault or DeviceLost the driver is no longer called.
void check(api::Result result, const char* what);

// For a kernel that does not end: this process no longer waits for it; exiting releases the device.
void give_up();
bool given_up(); // by give_up(), or because a kernel failed or the device was lost; see why_not()

} // namespace warptree::gpu
