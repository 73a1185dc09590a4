// What CUDA's samples check their calls with.
#pragma once

#include <helper_string.h>

#include <cstdio>
#include <cstdlib>

inline const char* _cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
template <class T> void check(T result, const char* function, const char* file, int line) {
    if (!result) return;
    fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, static_cast<int>(result),
            cudaGetErrorName(static_cast<cudaError_t>(result)), function);
    exit(EXIT_FAILURE);
}
#define checkCudaErrors(_call) check((_call), #_call, __FILE__, __LINE__)
#define getLastCudaError(_message) __getLastCudaError(_message, __FILE__, __LINE__)
inline void __getLastCudaError(const char* message, const char* file, int line) {
    const cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message,
            static_cast<int>(error), cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}
#define printLastCudaError(_message) __printLastCudaError(_message, __FILE__, __LINE__)
inline void __printLastCudaError(const char* message, const char* file, int line) {
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
        fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message,
                static_cast<int>(error), cudaGetErrorString(error));
}
#ifndef MAX
#define MAX(_a, _b) ((_a) > (_b) ? (_a) : (_b))
#endif
#ifndef MIN
#define MIN(_a, _b) ((_a) < (_b) ? (_a) : (_b))
#endif
inline int ftoi(float value) { return static_cast<int>(value >= 0 ? value + 0.5F : value - 0.5F); }
inline int _ConvertSMVer2Cores(int major, int minor) {
    return major == 6 && minor == 0 ? 64 : major == 7 || (major == 8 && minor == 0) ? 64 : 128;
}
inline const char* _ConvertSMVer2ArchName(int major, int) {
    return major >= 9 ? "Hopper" : major == 8 ? "Ampere" : major == 7 ? "Volta" : "Pascal";
}
inline int gpuDeviceInit(int device) {
    checkCudaErrors(cudaSetDevice(device));
    return device;
}
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int findCudaDevice(int count, const char** words) {
    const int device = checkCmdLineFlag(count, words, "device") ? getCmdLineArgumentInt(count, words, "device") : 0;
    cudaDeviceProp facts;
    checkCudaErrors(cudaSetDevice(device));
    checkCudaErrors(cudaGetDeviceProperties(&facts, device));
    printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, _ConvertSMVer2ArchName(facts.major, facts.minor),
           facts.major, facts.minor);
    return device;
}
inline int findIntegratedGPU() { return -1; }
inline bool checkCudaCapabilities(int major, int minor) {
    cudaDeviceProp facts;
    checkCudaErrors(cudaGetDeviceProperties(&facts, 0));
    return facts.major > major || (facts.major == major && facts.minor >= minor);
}
