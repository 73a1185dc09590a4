// Every CUDA call goes through here.
#pragma once

#include "app/base/error.hpp"

#include <cuda_runtime_api.h>

#include <string>

namespace warptree::cuda {

inline void check(cudaError_t status, const char* what) {
    if (status != cudaSuccess) {
        throw DeviceError(std::string(what) + " failed on the GPU: " + cudaGetErrorString(status) +
                          "; --backend cpu runs without one");
    }
}

} // namespace warptree::cuda
