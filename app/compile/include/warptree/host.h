// The runtime API, as host code calls it: declarations. Where only device code is compiled they are enough; where the host's
// code is, host/cuda_api.h defines the templates, and warptree-host the functions.
#pragma once

#include "warptree/c_library.h"

// By these, other headers know that the API is declared: those of CUDA's samples leave their checks out otherwise.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__

#include "warptree/host_errors.h"

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte };
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 13
};
enum cudaLimit {
    cudaLimitStackSize,
    cudaLimitPrintfFifoSize,
    cudaLimitMallocHeapSize,
    cudaLimitDevRuntimeSyncDepth,
    cudaLimitDevRuntimePendingLaunchCount,
    cudaLimitMaxL2FetchGranularity,
    cudaLimitPersistingL2CacheSize
};
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly,
    cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation,
    cudaMemAdviseSetAccessedBy,
    cudaMemAdviseUnsetAccessedBy
};
enum cudaMemoryType {
    cudaMemoryTypeUnregistered,
    cudaMemoryTypeHost,
    cudaMemoryTypeDevice,
    cudaMemoryTypeManaged
};
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited };
#include "warptree/host_attributes.h"
enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank = 1,
    cudaDevP2PAttrAccessSupported,
    cudaDevP2PAttrNativeAtomicSupported,
    cudaDevP2PAttrCudaArrayAccessSupported
};

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef struct CUgraphNode_st* cudaGraphNode_t;
typedef struct cudaArray* cudaArray_t;
typedef const struct cudaArray* cudaArray_const_t;
typedef struct CUfunc_st* cudaFunction_t;
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void*);
typedef void (*cudaHostFn_t)(void*);
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaEventInterprocess 0x04
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaMemAttachSingle 0x04
#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceBlockingSync 0x04
#define cudaDeviceMapHost 0x08
#define cudaDeviceLmemResizeToMax 0x10
#define cudaOccupancyDefault 0x00
#define cudaCpuDeviceId (-1)
#define cudaInvalidDeviceId (-2)

struct cudaUUID_t {
    char bytes[16];
};
struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2];
    int maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap;
    int maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3];
    int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
    int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
    int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin, reservedSharedMemPerBlock;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize, hostRegisterSupported, memoryPoolsSupported;
    int hostRegisterReadOnlySupported, sparseCudaArraySupported, timelineSemaphoreInteropSupported, clusterLaunch;
    int gpuDirectRDMASupported, ipcEventSupported, unifiedFunctionPointers, deferredMappingCudaArraySupported;
    unsigned int memoryPoolSupportedHandleTypes, luidDeviceNodeMask;
    char luid[8];
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
    int preferredShmemCarveout;
};
struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPos {
    size_t x, y, z;
};
struct cudaPitchedPtr {
    void* ptr;
    size_t pitch, xsize, ysize;
};
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    enum cudaMemcpyKind kind;
};

enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };
struct cudaAccessPolicyWindow {
    void* base_ptr;
    size_t num_bytes;
    float hitRatio;
    enum cudaAccessProperty hitProp, missProp;
};
enum cudaSynchronizationPolicy {
    cudaSyncPolicyAuto = 1,
    cudaSyncPolicySpin,
    cudaSyncPolicyYield,
    cudaSyncPolicyBlockingSync
};
enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore,
    cudaLaunchAttributeAccessPolicyWindow,
    cudaLaunchAttributeCooperative,
    cudaLaunchAttributeSynchronizationPolicy,
    cudaLaunchAttributeClusterDimension,
    cudaLaunchAttributeClusterSchedulingPolicyPreference,
    cudaLaunchAttributeProgrammaticStreamSerialization,
    cudaLaunchAttributeProgrammaticEvent,
    cudaLaunchAttributePriority
};
union cudaLaunchAttributeValue {
    char pad[64];
    cudaAccessPolicyWindow accessPolicyWindow;
    cudaSynchronizationPolicy syncPolicy;
    int cooperative, priority, programmaticStreamSerializationAllowed;
    struct {
        unsigned int x, y, z;
    } clusterDim;
};
typedef cudaLaunchAttributeID cudaStreamAttrID;
typedef cudaLaunchAttributeValue cudaStreamAttrValue;
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributeSynchronizationPolicy cudaLaunchAttributeSynchronizationPolicy
#define cudaStreamAttributePriority cudaLaunchAttributePriority
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned int numAttrs;
};

extern "C" {
unsigned int __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void* = nullptr);

__host__ __device__ cudaError_t cudaGetLastError();
__host__ __device__ cudaError_t cudaPeekAtLastError();
__host__ __device__ const char* cudaGetErrorString(cudaError_t);
__host__ __device__ const char* cudaGetErrorName(cudaError_t);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaThreadSynchronize();
cudaError_t cudaThreadExit();
cudaError_t cudaDeviceReset();
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig);
cudaError_t cudaDeviceSetLimit(enum cudaLimit, size_t);
cudaError_t cudaDeviceGetLimit(size_t*, enum cudaLimit);
cudaError_t cudaDeviceGetAttribute(int*, enum cudaDeviceAttr, int);
cudaError_t cudaDeviceGetStreamPriorityRange(int*, int*);
cudaError_t cudaDeviceCanAccessPeer(int*, int, int);
cudaError_t cudaDeviceGetP2PAttribute(int*, enum cudaDeviceP2PAttr, int, int);
cudaError_t cudaDeviceGetPCIBusId(char*, int, int);
cudaError_t cudaDeviceGetByPCIBusId(int*, const char*);
cudaError_t cudaCtxResetPersistingL2Cache();
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache*);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig*);
cudaError_t cudaGetDeviceFlags(unsigned int*);
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int);
cudaError_t cudaDeviceDisablePeerAccess(int);
cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int);
cudaError_t cudaGetDevice(int*);
cudaError_t cudaInitDevice(int, unsigned int, unsigned int);
cudaError_t cudaSetValidDevices(int*, int);
cudaError_t cudaSetDevice(int);
cudaError_t cudaSetDeviceFlags(unsigned int);
cudaError_t cudaChooseDevice(int*, const cudaDeviceProp*);
cudaError_t cudaDriverGetVersion(int*);
cudaError_t cudaRuntimeGetVersion(int*);
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();

cudaError_t cudaFree(void*);
cudaError_t cudaFreeHost(void*);
cudaError_t cudaFreeAsync(void*, cudaStream_t);
cudaError_t cudaHostRegister(void*, size_t, unsigned int);
cudaError_t cudaHostUnregister(void*);
cudaError_t cudaMemGetInfo(size_t*, size_t*);
cudaError_t cudaMemcpy(void*, const void*, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void*, const void*, size_t, enum cudaMemcpyKind, cudaStream_t = nullptr);
cudaError_t cudaMemcpy2D(void*, size_t, const void*, size_t, size_t, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DAsync(void*, size_t, const void*, size_t, size_t, size_t, enum cudaMemcpyKind,
                              cudaStream_t = nullptr);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms*);
cudaError_t cudaMemcpyPeer(void*, int, const void*, int, size_t);
cudaError_t cudaMemcpyPeerAsync(void*, int, const void*, int, size_t, cudaStream_t = nullptr);
cudaError_t cudaMemset(void*, int, size_t);
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t = nullptr);
cudaError_t cudaMemset2D(void*, size_t, int, size_t, size_t);
cudaError_t cudaMemset2DAsync(void*, size_t, int, size_t, size_t, cudaStream_t = nullptr);
cudaError_t cudaMemset3D(cudaPitchedPtr, int, cudaExtent);
cudaError_t cudaMemset3DAsync(cudaPitchedPtr, int, cudaExtent, cudaStream_t = nullptr);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms*, cudaStream_t = nullptr);
cudaError_t cudaHostGetFlags(unsigned int*, void*);
cudaError_t cudaMalloc3D(cudaPitchedPtr*, cudaExtent);
cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t = nullptr);
cudaError_t cudaMemAdvise(const void*, size_t, enum cudaMemoryAdvise, int);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes*, const void*);

cudaError_t cudaStreamCreate(cudaStream_t*);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned int);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t*, unsigned int, int);
cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned int*);
cudaError_t cudaStreamGetPriority(cudaStream_t, int*);
cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue*);
cudaError_t cudaStreamGetAttribute(cudaStream_t, cudaStreamAttrID, cudaStreamAttrValue*);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int = 0);
cudaError_t cudaStreamAddCallback(cudaStream_t, cudaStreamCallback_t, void*, unsigned int);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t = 0, unsigned int = cudaMemAttachSingle);
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void*);
cudaError_t cudaEventCreate(cudaEvent_t*);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t*, unsigned int);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t = nullptr, unsigned int = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t);
}

#include "warptree/host_graphs.h"
#include "warptree/host_pools.h"
#include "warptree/host_graphics.h"
#include "warptree/host_textures.h"

inline cudaError_t cudaEventCreate(cudaEvent_t* to, unsigned int flags) { return cudaEventCreateWithFlags(to, flags); }
template <class T>
cudaError_t cudaMalloc(T**, size_t);
template <class T>
cudaError_t cudaMallocAsync(T**, size_t, cudaStream_t);
template <class T>
cudaError_t cudaMallocManaged(T**, size_t, unsigned int = cudaMemAttachGlobal);
template <class T>
cudaError_t cudaMallocHost(T**, size_t, unsigned int = 0);
template <class T>
cudaError_t cudaHostAlloc(T**, size_t, unsigned int);
template <class T>
cudaError_t cudaHostGetDevicePointer(T**, void*, unsigned int);
template <class T>
cudaError_t cudaMallocPitch(T**, size_t*, size_t, size_t);
template <class T>
cudaError_t cudaMemcpyToSymbol(const T&, const void*, size_t, size_t = 0, enum cudaMemcpyKind = cudaMemcpyHostToDevice);
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T&, const void*, size_t, size_t = 0,
                                    enum cudaMemcpyKind = cudaMemcpyHostToDevice, cudaStream_t = nullptr);
template <class T>
cudaError_t cudaMemcpyFromSymbol(void*, const T&, size_t, size_t = 0, enum cudaMemcpyKind = cudaMemcpyDeviceToHost);
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void*, const T&, size_t, size_t = 0,
                                      enum cudaMemcpyKind = cudaMemcpyDeviceToHost, cudaStream_t = nullptr);
template <class T>
cudaError_t cudaGetSymbolAddress(void**, const T&);
template <class T>
cudaError_t cudaGetSymbolSize(size_t*, const T&);
template <class F>
cudaError_t cudaFuncSetCacheConfig(F, enum cudaFuncCache);
template <class F>
cudaError_t cudaFuncSetSharedMemConfig(F, enum cudaSharedMemConfig);
template <class F>
cudaError_t cudaFuncSetAttribute(F, enum cudaFuncAttribute, int);
template <class F>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, F);
template <class F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, F, int, size_t);
template <class F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int*, F, int, size_t, unsigned int);
template <class F>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int*, int*, F, size_t = 0, int = 0);
template <class F>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int*, int*, F, size_t = 0, int = 0, unsigned int = 0);
template <class S, class F>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int*, int*, F, S, int = 0);
template <class F>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t*, F, int, int);
#ifdef __WARPTREE_HOST // where Clang looks for it by its plain name
extern "C" cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t = 0, cudaStream_t = nullptr);
#endif
template <class F>
cudaError_t cudaLaunchKernel(F, dim3, dim3, void**, size_t = 0, cudaStream_t = nullptr);
template <class F>
cudaError_t cudaLaunchCooperativeKernel(F, dim3, dim3, void**, size_t = 0, cudaStream_t = nullptr);
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t*, void (*)(P...), A&&...);
inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t width, size_t height) {
    return {pointer, pitch, width, height};
}
