// The functions of the NVIDIA driver and of NVRTC that this program calls, declared from their public documentation, so
// that building needs no toolkit. tests/gpu/driver_api_test.cpp checks them against cuda.h and nvrtc.h, if installed.
#pragma once

#include <cstddef>

namespace warptree::gpu::api {

using Result = int; // 0: success
using Device = int;
using Address = unsigned long long; // in device memory
using Context = struct ContextHandle*;
using Module = struct ModuleHandle*;
using Function = struct FunctionHandle*;
using Stream = struct StreamHandle*;
using Event = struct EventHandle*;
using RtcProgram = struct RtcProgramHandle*;

// CUresult
inline constexpr Result kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kDeinitialized = 4, kNoDevice = 100,
                        kInvalidDevice = 101, kNoBinaryForGpu = 209, kEccUncorrectable = 214, kInvalidPtx = 218,
                        kUnsupportedPtxVersion = 222, kIllegalAddress = 700, kLaunchOutOfResources = 701,
                        kLaunchTimeout = 702, kAssert = 710, kHardwareStackError = 714, kIllegalInstruction = 715,
                        kMisalignedAddress = 716, kInvalidAddressSpace = 717, kInvalidPc = 718, kLaunchFailed = 719,
                        kNotReady = 600, kNotFound = 500, kSystemNotReady = 802, kSystemDriverMismatch = 803,
                        kUnknown = 999;
// nvrtcResult
inline constexpr Result kRtcCompilation = 6;

// CUdevice_attribute
enum Attribute : int {
    kMaxThreadsPerBlock = 1,
    kSharedPerBlock = 8,
    kRegistersPerBlock = 12,
    kClockRate = 13,
    kMultiprocessors = 16,
    kMemoryClockRate = 36,
    kMemoryBusWidth = 37,
    kL2CacheSize = 38,
    kThreadsPerMultiprocessor = 39,
    kComputeMajor = 75,
    kComputeMinor = 76,
    kSharedPerMultiprocessor = 81,
    kRegistersPerMultiprocessor = 82,
    kSharedPerBlockOptin = 97,
    kBlocksPerMultiprocessor = 106,
    kSharedReservedPerBlock = 111,
};

// CUfunction_attribute
enum FunctionAttribute : int {
    kStaticSharedBytes = 1,
    kLocalBytes = 3,
    kRegisters = 4,
    kMaxDynamicSharedBytes = 8,
    kSharedCarveout = 9, // percent of the maximum
};

// CUjit_option
enum JitOption : int { kInfoLogBuffer = 3, kInfoLogBytes = 4, kErrorLogBuffer = 5, kErrorLogBytes = 6 };

inline constexpr unsigned kHostAllocMapped = 2; // CU_MEMHOSTALLOC_DEVICEMAP
inline constexpr unsigned kStreamDefault = 0;   // CU_STREAM_DEFAULT: synchronises with the null stream, used by copies

} // namespace warptree::gpu::api

// ENTRY(name of the field, exported symbol, result, parameters)
#define WARPTREE_DRIVER_FUNCTIONS(ENTRY)                                                                               \
    ENTRY(init, cuInit, Result, (unsigned flags))                                                                      \
    ENTRY(driver_version, cuDriverGetVersion, Result, (int* version))                                                  \
    ENTRY(error_name, cuGetErrorName, Result, (Result of, const char** name))                                          \
    ENTRY(error_string, cuGetErrorString, Result, (Result of, const char** text))                                      \
    ENTRY(device_count, cuDeviceGetCount, Result, (int* count))                                                        \
    ENTRY(device_get, cuDeviceGet, Result, (Device * device, int ordinal))                                             \
    ENTRY(device_name, cuDeviceGetName, Result, (char* name, int bytes, Device device))                                \
    ENTRY(device_attribute, cuDeviceGetAttribute, Result, (int* value, Attribute which, Device device))                \
    ENTRY(device_memory, cuDeviceTotalMem_v2, Result, (std::size_t * bytes, Device device))                            \
    ENTRY(context_retain, cuDevicePrimaryCtxRetain, Result, (Context * context, Device device))                        \
    ENTRY(context_release, cuDevicePrimaryCtxRelease_v2, Result, (Device device))                                      \
    ENTRY(context_set, cuCtxSetCurrent, Result, (Context context))                                                     \
    ENTRY(memory_info, cuMemGetInfo_v2, Result, (std::size_t * available, std::size_t * all))                          \
    ENTRY(allocate, cuMemAlloc_v2, Result, (Address * address, std::size_t bytes))                                     \
    ENTRY(release, cuMemFree_v2, Result, (Address address))                                                            \
    ENTRY(host_allocate, cuMemHostAlloc, Result, (void** data, std::size_t bytes, unsigned flags))                     \
    ENTRY(host_release, cuMemFreeHost, Result, (void* data))                                                           \
    ENTRY(host_address, cuMemHostGetDevicePointer_v2, Result, (Address * address, void* data, unsigned flags))         \
    ENTRY(upload, cuMemcpyHtoD_v2, Result, (Address to, const void* from, std::size_t bytes))                          \
    ENTRY(download, cuMemcpyDtoH_v2, Result, (void* to, Address from, std::size_t bytes))                              \
    ENTRY(copy_async, cuMemcpyDtoDAsync_v2, Result, (Address to, Address from, std::size_t bytes, Stream stream))      \
    ENTRY(download_async, cuMemcpyDtoHAsync_v2, Result, (void* to, Address from, std::size_t bytes, Stream stream))    \
    ENTRY(fill_bytes_async, cuMemsetD8Async, Result,                                                                   \
          (Address to, unsigned char value, std::size_t count, Stream stream))                                         \
    ENTRY(fill_words_async, cuMemsetD32Async, Result, (Address to, unsigned value, std::size_t count, Stream stream))  \
    ENTRY(module_load, cuModuleLoadDataEx, Result,                                                                     \
          (Module * module, const void* image, unsigned count, JitOption* options, void** values))                     \
    ENTRY(module_unload, cuModuleUnload, Result, (Module module))                                                      \
    ENTRY(module_function, cuModuleGetFunction, Result, (Function * function, Module module, const char* name))        \
    ENTRY(module_global, cuModuleGetGlobal_v2, Result,                                                                 \
          (Address * address, std::size_t * bytes, Module module, const char* name))                                   \
    ENTRY(function_attribute, cuFuncGetAttribute, Result, (int* value, FunctionAttribute which, Function function))    \
    ENTRY(function_set, cuFuncSetAttribute, Result, (Function function, FunctionAttribute which, int value))           \
    ENTRY(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor, Result,                                              \
          (int* blocks, Function function, int threads, std::size_t shared))                                           \
    ENTRY(launch, cuLaunchKernel, Result,                                                                              \
          (Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,   \
           unsigned block_z, unsigned shared, Stream stream, void** arguments, void** extra))                          \
    ENTRY(stream_create, cuStreamCreate, Result, (Stream * stream, unsigned flags))                                    \
    ENTRY(stream_destroy, cuStreamDestroy_v2, Result, (Stream stream))                                                 \
    ENTRY(stream_query, cuStreamQuery, Result, (Stream stream))                                                        \
    ENTRY(stream_synchronize, cuStreamSynchronize, Result, (Stream stream))                                            \
    ENTRY(event_create, cuEventCreate, Result, (Event * event, unsigned flags))                                        \
    ENTRY(event_destroy, cuEventDestroy_v2, Result, (Event event))                                                     \
    ENTRY(event_record, cuEventRecord, Result, (Event event, Stream stream))                                           \
    ENTRY(event_milliseconds, cuEventElapsedTime, Result, (float* milliseconds, Event begin, Event end))

#define WARPTREE_NVRTC_FUNCTIONS(ENTRY)                                                                                \
    ENTRY(version, nvrtcVersion, Result, (int* major, int* minor))                                                     \
    ENTRY(error_string, nvrtcGetErrorString, const char*, (Result of))                                                 \
    ENTRY(arch_count, nvrtcGetNumSupportedArchs, Result, (int* count))                                                 \
    ENTRY(archs, nvrtcGetSupportedArchs, Result, (int* list))                                                          \
    ENTRY(create, nvrtcCreateProgram, Result,                                                                          \
          (RtcProgram * program, const char* text, const char* name, int headers, const char* const* header_texts,     \
           const char* const* header_names))                                                                           \
    ENTRY(destroy, nvrtcDestroyProgram, Result, (RtcProgram * program))                                                \
    ENTRY(add_name, nvrtcAddNameExpression, Result, (RtcProgram program, const char* expression))                      \
    ENTRY(lowered_name, nvrtcGetLoweredName, Result, (RtcProgram program, const char* expression, const char** name))  \
    ENTRY(compile, nvrtcCompileProgram, Result, (RtcProgram program, int count, const char* const* options))           \
    ENTRY(log_bytes, nvrtcGetProgramLogSize, Result, (RtcProgram program, std::size_t * bytes))                        \
    ENTRY(log, nvrtcGetProgramLog, Result, (RtcProgram program, char* to))                                             \
    ENTRY(ptx_bytes, nvrtcGetPTXSize, Result, (RtcProgram program, std::size_t * bytes))                               \
    ENTRY(ptx, nvrtcGetPTX, Result, (RtcProgram program, char* to))                                                    \
    ENTRY(binary_bytes, nvrtcGetCUBINSize, Result, (RtcProgram program, std::size_t * bytes))                          \
    ENTRY(binary, nvrtcGetCUBIN, Result, (RtcProgram program, char* to))

namespace warptree::gpu::api {

#define WARPTREE_FIELD(field, symbol, result, parameters) result(*field) parameters = nullptr;
struct DriverFunctions {
    WARPTREE_DRIVER_FUNCTIONS(WARPTREE_FIELD)
};
struct NvrtcFunctions {
    WARPTREE_NVRTC_FUNCTIONS(WARPTREE_FIELD)
};
#undef WARPTREE_FIELD

} // namespace warptree::gpu::api
