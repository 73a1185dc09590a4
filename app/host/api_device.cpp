// The device, its facts, and errors.
#include "app/host/api.hpp"

#include <algorithm>
#include <cstring>

using namespace warptree::host;

namespace {

Facts facts(const void* from) {
    const Reply reply = ask(Call::device_facts, {}, from);
    Facts result;
    if (reply.bytes.size() == sizeof result) std::memcpy(&result, reply.bytes.data(), sizeof result);
    return result;
}

bool is_device(int device, const void* from) {
    return device >= 0 && static_cast<std::uint64_t>(device) < ask(Call::device_count, {}, from).word(0);
}

struct Name {
    int error;
    const char *name, *text;
};
#define WARPTREE_NAMED(name, code, text) {code, #name, text},
constexpr Name kNames[] = {__WARPTREE_CUDA_ERRORS(WARPTREE_NAMED)};
#undef WARPTREE_NAMED
const Name* name_of(int error) {
    const auto* const found =
        std::find_if(std::begin(kNames), std::end(kNames), [&](const Name& n) { return n.error == error; });
    return found == std::end(kNames) ? nullptr : found;
}

// Of textures and surfaces, in elements.
constexpr int kTextureWidth = 131072, kTextureHeight = 65536, kTextureDepth = 16384, kLayerWidth = 32768,
              kLayers = 2048;

int attribute_of(const Facts& f, enum cudaDeviceAttr attribute) {
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: return static_cast<int>(f.threads_a_block);
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY: return 1024;
    case cudaDevAttrMaxBlockDimZ: return 64;
    case cudaDevAttrMaxGridDimX: return 0x7FFFFFFF;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ: return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock: return static_cast<int>(f.shared_a_block);
    case cudaDevAttrTotalConstantMemory: return static_cast<int>(f.constant);
    case cudaDevAttrWarpSize: return 32;
    case cudaDevAttrMaxRegistersPerBlock: return static_cast<int>(f.registers_a_block);
    case cudaDevAttrClockRate: return static_cast<int>(f.clock_khz);
    case cudaDevAttrMultiProcessorCount: return static_cast<int>(f.sms);
    case cudaDevAttrMemoryClockRate: return static_cast<int>(f.memory_clock_khz);
    case cudaDevAttrGlobalMemoryBusWidth: return static_cast<int>(f.bus_bits);
    case cudaDevAttrL2CacheSize: return static_cast<int>(f.cache);
    case cudaDevAttrMaxThreadsPerMultiProcessor: return static_cast<int>(f.threads_an_sm);
    case cudaDevAttrComputeCapabilityMajor: return static_cast<int>(f.major);
    case cudaDevAttrComputeCapabilityMinor: return static_cast<int>(f.minor);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return static_cast<int>(f.shared_an_sm);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return static_cast<int>(f.shared_a_block_most);
    case cudaDevAttrMaxRegistersPerMultiprocessor: return static_cast<int>(f.registers_an_sm);
    case cudaDevAttrMaxBlocksPerMultiprocessor: return static_cast<int>(f.blocks_an_sm);
    case cudaDevAttrMaxPitch: return 0x7FFFFFFF;
    case cudaDevAttrReservedSharedMemoryPerBlock: return f.major >= 8 ? 1024 : 0;
    case cudaDevAttrMaxTexture1DWidth:
    case cudaDevAttrMaxTexture2DWidth: return kTextureWidth;
    case cudaDevAttrMaxTexture2DHeight: return kTextureHeight;
    case cudaDevAttrMaxTexture3DWidth:
    case cudaDevAttrMaxTexture3DHeight:
    case cudaDevAttrMaxTexture3DDepth: return kTextureDepth;
    case cudaDevAttrMaxTexture1DLayeredWidth:
    case cudaDevAttrMaxTexture2DLayeredWidth:
    case cudaDevAttrMaxTexture2DLayeredHeight: return kLayerWidth;
    case cudaDevAttrMaxTexture1DLayeredLayers:
    case cudaDevAttrMaxTexture2DLayeredLayers: return kLayers;
    case cudaDevAttrSurfaceAlignment:
    case cudaDevAttrTextureAlignment: return 512;
    case cudaDevAttrAsyncEngineCount: return 2;
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrClusterLaunch: return 1;
    default: return 0;
    }
}

} // namespace

extern "C" {

cudaError_t cudaGetLastError() { return error_of(ask(Call::last_error, {1}, WARPTREE_CALLER)); }
cudaError_t cudaPeekAtLastError() { return error_of(ask(Call::last_error, {0}, WARPTREE_CALLER)); }
const char* cudaGetErrorString(cudaError_t error) {
    const Name* const found = name_of(error);
    return found == nullptr ? "unrecognized error code" : found->text;
}
const char* cudaGetErrorName(cudaError_t error) {
    const Name* const found = name_of(error);
    return found == nullptr ? "unrecognized error code" : found->name;
}

cudaError_t cudaDeviceSynchronize() {
    if (const cudaError_t e = forbidden_wait(WARPTREE_CALLER); e != cudaSuccess) return e;
    return error_of(ask(Call::synchronise, {~0ULL}, WARPTREE_CALLER));
}
cudaError_t cudaThreadSynchronize() {
    if (const cudaError_t e = forbidden_wait(WARPTREE_CALLER); e != cudaSuccess) return e;
    return error_of(ask(Call::synchronise, {~0ULL}, WARPTREE_CALLER));
}
cudaError_t cudaDeviceReset() { return error_of(ask(Call::device_reset, {}, WARPTREE_CALLER)); }
cudaError_t cudaThreadExit() { return error_of(ask(Call::device_reset, {}, WARPTREE_CALLER)); }
cudaError_t cudaGetDeviceCount(int* to) {
    const Reply reply = ask(Call::device_count, {}, WARPTREE_CALLER);
    *to = static_cast<int>(reply.word(0));
    return error_of(reply);
}
cudaError_t cudaGetDevice(int* to) {
    *to = static_cast<int>(current_device);
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
    const Reply reply = ask(Call::device_set, {static_cast<std::uint64_t>(device)}, WARPTREE_CALLER);
    if (reply.error() == cudaSuccess) current_device = static_cast<std::uint32_t>(device);
    return error_of(reply);
}
cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
    return is_device(device, WARPTREE_CALLER) ? cudaSuccess : refused(cudaErrorInvalidDevice, WARPTREE_CALLER);
}
cudaError_t cudaSetValidDevices(int* devices, int count) {
    for (int i = 0; i < count; ++i)
        if (!is_device(devices[i], WARPTREE_CALLER)) return refused(cudaErrorInvalidDevice, WARPTREE_CALLER);
    return cudaSuccess;
}
cudaError_t cudaChooseDevice(int* to, const cudaDeviceProp*) {
    *to = 0;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* to, int device) {
    if (!is_device(device, WARPTREE_CALLER)) return refused(cudaErrorInvalidDevice, WARPTREE_CALLER);
    const Facts f = facts(WARPTREE_CALLER);
    *to = {};
    std::memcpy(to->name, f.name.data(), std::min(sizeof to->name, sizeof f.name) - 1);
    to->totalGlobalMem = f.memory;
    to->sharedMemPerBlock = f.shared_a_block;
    to->sharedMemPerBlockOptin = f.shared_a_block_most;
    to->sharedMemPerMultiprocessor = f.shared_an_sm;
    to->reservedSharedMemPerBlock = f.major >= 8 ? 1024 : 0;
    to->regsPerBlock = static_cast<int>(f.registers_a_block);
    to->regsPerMultiprocessor = static_cast<int>(f.registers_an_sm);
    to->warpSize = 32;
    to->memPitch = 0x7FFFFFFF;
    to->maxThreadsPerBlock = static_cast<int>(f.threads_a_block);
    to->maxThreadsPerMultiProcessor = static_cast<int>(f.threads_an_sm);
    to->maxBlocksPerMultiProcessor = static_cast<int>(f.blocks_an_sm);
    to->maxThreadsDim[0] = to->maxThreadsDim[1] = 1024;
    to->maxThreadsDim[2] = 64;
    to->maxGridSize[0] = 0x7FFFFFFF;
    to->maxGridSize[1] = to->maxGridSize[2] = 65535;
    to->clockRate = static_cast<int>(f.clock_khz);
    to->memoryClockRate = static_cast<int>(f.memory_clock_khz);
    to->memoryBusWidth = static_cast<int>(f.bus_bits);
    to->l2CacheSize = static_cast<int>(f.cache);
    to->totalConstMem = f.constant;
    to->major = static_cast<int>(f.major);
    to->minor = static_cast<int>(f.minor);
    to->multiProcessorCount = static_cast<int>(f.sms);
    to->textureAlignment = 512;
    to->texturePitchAlignment = 32;
    to->deviceOverlap = to->canMapHostMemory = to->concurrentKernels = to->unifiedAddressing = to->managedMemory = 1;
    to->concurrentManagedAccess = to->cooperativeLaunch = to->clusterLaunch = to->streamPrioritiesSupported = 1;
    to->asyncEngineCount = 2;
    to->globalL1CacheSupported = to->localL1CacheSupported = to->hostRegisterSupported = 1;
    to->computePreemptionSupported = to->memoryPoolsSupported = 1;
    to->surfaceAlignment = 512;
    to->maxTexture1D = to->maxTexture2D[0] = to->maxSurface1D = to->maxSurface2D[0] = kTextureWidth;
    to->maxTexture2D[1] = to->maxSurface2D[1] = kTextureHeight;
    for (int i = 0; i < 3; ++i) to->maxTexture3D[i] = to->maxSurface3D[i] = kTextureDepth;
    to->maxTextureCubemap = to->maxSurfaceCubemap = to->maxTexture1DLayered[0] = kLayerWidth;
    to->maxTexture2DLayered[0] = to->maxTexture2DLayered[1] = kLayerWidth;
    to->maxTexture1DLayered[1] = to->maxTexture2DLayered[2] = kLayers;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* to, enum cudaDeviceAttr attribute, int device) {
    if (!is_device(device, WARPTREE_CALLER)) return refused(cudaErrorInvalidDevice, WARPTREE_CALLER);
    *to = attribute_of(facts(WARPTREE_CALLER), attribute);
    return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(std::size_t* to, enum cudaLimit limit) {
    *to = limit == cudaLimitStackSize ? 1024 : limit == cudaLimitPrintfFifoSize ? 1 << 20 : 8 << 20;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* to, int from, int other) {
    if (!is_device(from, WARPTREE_CALLER) || !is_device(other, WARPTREE_CALLER))
        return refused(cudaErrorInvalidDevice, WARPTREE_CALLER);
    *to = from != other ? 1 : 0;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetP2PAttribute(int* to, enum cudaDeviceP2PAttr attribute, int from, int other) {
    if (from == other || !is_device(from, WARPTREE_CALLER) || !is_device(other, WARPTREE_CALLER))
        return refused(cudaErrorInvalidDevice, WARPTREE_CALLER);
    *to = attribute == cudaDevP2PAttrPerformanceRank || attribute == cudaDevP2PAttrCudaArrayAccessSupported ? 0 : 1;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* to, int bytes, int device) {
    if (!is_device(device, WARPTREE_CALLER)) return refused(cudaErrorInvalidDevice, WARPTREE_CALLER);
    std::snprintf(to, static_cast<std::size_t>(std::max(bytes, 0)), "0000:00:00.0");
    return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int* to, const char* bus) {
    if (std::strcmp(bus, "0000:00:00.0") != 0) return refused(cudaErrorInvalidDevice, WARPTREE_CALLER);
    *to = 0;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache* to) {
    *to = cudaFuncCachePreferNone;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig* to) {
    *to = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceFlags(unsigned* to) {
    *to = cudaDeviceMapHost;
    return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned flags) {
    if (flags != 0) return refused(cudaErrorInvalidValue, WARPTREE_CALLER);
    return error_of(ask(Call::peer, {static_cast<std::uint64_t>(other), 1}, WARPTREE_CALLER));
}
cudaError_t cudaDeviceDisablePeerAccess(int other) {
    return error_of(ask(Call::peer, {static_cast<std::uint64_t>(other), 0}, WARPTREE_CALLER));
}
cudaError_t cudaDriverGetVersion(int* to) {
    *to = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* to) {
    *to = CUDART_VERSION;
    return cudaSuccess;
}
// Settings that change no result.
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceSetLimit(enum cudaLimit, std::size_t) { return cudaSuccess; }
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }
}
