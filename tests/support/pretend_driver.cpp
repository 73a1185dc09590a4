// A fake driver without a GPU, a shared library for $WARPTREE_DRIVER: device memory is host memory, kernels do nothing,
// and $WARPTREE_PRETEND selects a fault.
//
//   lost      the device is lost when a kernel is launched: that and every later call fails
//   fault     the kernel accesses an illegal address
//   hang      the kernel does not end
//   memory    there is no memory left
//   old       the driver is older than the PTX that it is given
#include "app/compile/program/device_log.hpp"
#include "app/gpu/driver_api.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {
using namespace warptree::gpu::api;

bool wrong(std::string_view what) {
    const char* const asked = std::getenv("WARPTREE_PRETEND");
    return asked != nullptr && what == asked;
}

std::atomic<bool> launched{false};

// The result of every call that needs the device.
Result answer() {
    if (!launched) {
        return kSuccess;
    }
    return wrong("lost") ? kEccUncorrectable : wrong("fault") ? kIllegalAddress : kSuccess;
}

template <class Handle> Result handle(Handle* to) {
    *to = reinterpret_cast<Handle>(1);
    return answer();
}

// Not from the heap: a program whose device failed frees nothing, which must not count as a leak.
void* pages(std::size_t bytes) {
    return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

void* host(Address address) { return reinterpret_cast<void*>(address); }
} // namespace

extern "C" {
Result cuInit(unsigned /*flags*/) { return kSuccess; }
Result cuDriverGetVersion(int* version) {
    *version = wrong("old") ? 11040 : 13000;
    return kSuccess;
}
Result cuGetErrorName(Result of, const char** name) {
    *name = of == kEccUncorrectable ? "CUDA_ERROR_ECC_UNCORRECTABLE"
            : of == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                    : "CUDA_ERROR";
    return kSuccess;
}
Result cuGetErrorString(Result of, const char** text) {
    *text = of == kEccUncorrectable        ? "uncorrectable ECC error encountered"
            : of == kIllegalAddress        ? "an illegal memory access was encountered"
            : of == kOutOfMemory           ? "out of memory"
            : of == kUnsupportedPtxVersion ? "the provided PTX was compiled with an unsupported toolchain."
                                           : "pretended error";
    return kSuccess;
}
Result cuDeviceGetCount(int* count) {
    *count = 1;
    return kSuccess;
}
Result cuDeviceGet(Device* device, int /*ordinal*/) {
    *device = 0;
    return kSuccess;
}
Result cuDeviceGetName(char* name, int bytes, Device /*device*/) {
    std::strncpy(name, "Pretended GPU", static_cast<std::size_t>(bytes));
    return kSuccess;
}
Result cuDeviceGetAttribute(int* value, Attribute which, Device /*device*/) {
    switch (which) {
    case kMaxThreadsPerBlock: *value = 1024; break;
    case kSharedPerBlock: *value = 48 << 10; break;
    case kSharedPerBlockOptin: *value = 99 << 10; break;
    case kSharedPerMultiprocessor: *value = 100 << 10; break;
    case kSharedReservedPerBlock: *value = 1 << 10; break;
    case kRegistersPerBlock:
    case kRegistersPerMultiprocessor: *value = 65536; break;
    case kThreadsPerMultiprocessor: *value = 1536; break;
    case kBlocksPerMultiprocessor: *value = 24; break;
    case kComputeMajor: *value = 8; break;
    case kComputeMinor: *value = 9; break;
    case kMultiprocessors: *value = 4; break;
    case kL2CacheSize: *value = 4 << 20; break;
    default: *value = 1'000'000; break; // clocks
    }
    return kSuccess;
}
Result cuDeviceTotalMem_v2(std::size_t* bytes, Device /*device*/) {
    *bytes = std::size_t{1} << 30;
    return kSuccess;
}
Result cuDevicePrimaryCtxRetain(Context* context, Device /*device*/) { return handle(context); }
Result cuDevicePrimaryCtxRelease_v2(Device /*device*/) { return kSuccess; }
Result cuCtxSetCurrent(Context /*context*/) { return kSuccess; }
Result cuMemGetInfo_v2(std::size_t* available, std::size_t* all) {
    *available = *all = std::size_t{1} << 30;
    return answer();
}
Result cuMemAlloc_v2(Address* address, std::size_t bytes) {
    if (wrong("memory")) {
        return kOutOfMemory;
    }
    *address = reinterpret_cast<Address>(pages(bytes));
    return answer();
}
Result cuMemFree_v2(Address /*address*/) { return answer(); }
Result cuMemHostAlloc(void** data, std::size_t bytes, unsigned /*flags*/) {
    *data = pages(bytes);
    return answer();
}
Result cuMemFreeHost(void* /*data*/) { return answer(); }
Result cuMemHostGetDevicePointer_v2(Address* address, void* data, unsigned /*flags*/) {
    *address = reinterpret_cast<Address>(data);
    return answer();
}
Result cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
    std::memcpy(host(to), from, bytes);
    return answer();
}
Result cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
    std::memcpy(to, host(from), bytes);
    return answer();
}
Result cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, Stream /*stream*/) {
    std::memcpy(host(to), host(from), bytes);
    return answer();
}
Result cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, Stream /*stream*/) {
    std::memcpy(to, host(from), bytes);
    return answer();
}
Result cuMemsetD8Async(Address to, unsigned char value, std::size_t count, Stream /*stream*/) {
    std::memset(host(to), value, count);
    return answer();
}
Result cuMemsetD32Async(Address to, unsigned value, std::size_t count, Stream /*stream*/) {
    for (std::size_t i = 0; i < count; ++i) {
        static_cast<unsigned*>(host(to))[i] = value;
    }
    return answer();
}
Result cuModuleLoadDataEx(Module* module, const void* /*image*/, unsigned /*count*/, JitOption* /*options*/,
                          void** /*values*/) {
    return wrong("old") ? kUnsupportedPtxVersion : handle(module);
}
Result cuModuleUnload(Module /*module*/) { return answer(); }
Result cuModuleGetFunction(Function* function, Module /*module*/, const char* /*name*/) { return handle(function); }
// The only variable looked up is where a traced kernel writes its log.
Result cuModuleGetGlobal_v2(Address* address, std::size_t* bytes, Module /*module*/, const char* /*name*/) {
    static warptree::compile::LogPlace place;
    *address = reinterpret_cast<Address>(&place);
    *bytes = sizeof place;
    return answer();
}
Result cuFuncGetAttribute(int* value, FunctionAttribute /*which*/, Function /*function*/) {
    *value = 16;
    return answer();
}
Result cuFuncSetAttribute(Function /*function*/, FunctionAttribute /*which*/, int /*value*/) { return answer(); }
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function /*function*/, int /*threads*/,
                                                   std::size_t /*shared*/) {
    *blocks = 1;
    return answer();
}
Result cuLaunchKernel(Function /*function*/, unsigned /*grid_x*/, unsigned /*grid_y*/, unsigned /*grid_z*/,
                      unsigned /*block_x*/, unsigned /*block_y*/, unsigned /*block_z*/, unsigned /*shared*/,
                      Stream /*stream*/, void** /*arguments*/, void** /*extra*/) {
    launched = true;
    return kSuccess; // faults are reported when the stream is synchronized
}
Result cuStreamCreate(Stream* stream, unsigned /*flags*/) { return handle(stream); }
Result cuStreamDestroy_v2(Stream /*stream*/) { return answer(); }
Result cuStreamQuery(Stream /*stream*/) { return launched && wrong("hang") ? kNotReady : answer(); }
Result cuStreamSynchronize(Stream /*stream*/) { return answer(); }
Result cuEventCreate(Event* event, unsigned /*flags*/) { return handle(event); }
Result cuEventDestroy_v2(Event /*event*/) { return answer(); }
Result cuEventRecord(Event /*event*/, Stream /*stream*/) { return answer(); }
Result cuEventElapsedTime(float* milliseconds, Event /*begin*/, Event /*end*/) {
    *milliseconds = 1;
    return answer();
}
}
