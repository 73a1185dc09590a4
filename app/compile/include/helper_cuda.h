// What CUDA's samples call of their own helpers, for host code, which is parsed only.
#pragma once

#include <helper_string.h>

#define checkCudaErrors(_call) static_cast<void>(_call)
#define getLastCudaError(_message) static_cast<void>(cudaGetLastError())
#define printLastCudaError(_message) static_cast<void>(cudaGetLastError())
#define MAX(_a, _b) ((_a) > (_b) ? (_a) : (_b))
#define MIN(_a, _b) ((_a) < (_b) ? (_a) : (_b))
int findCudaDevice(int, const char**);
int findIntegratedGPU();
int gpuDeviceInit(int);
int gpuGetMaxGflopsDeviceId();
int _ConvertSMVer2Cores(int, int);
const char* _ConvertSMVer2ArchName(int, int);
bool checkCudaCapabilities(int, int);
const char* _cudaGetErrorEnum(cudaError_t);
int ftoi(float);
