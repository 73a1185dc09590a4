// Arrays, textures and surfaces of the runtime API. A texture or surface object is the address of a description in the
// device's memory; the device's functions (warptree/texture.h) compute from it what a GPU's texture units do.
#pragma once

typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned,
    cudaChannelFormatKindUnsigned,
    cudaChannelFormatKindFloat,
    cudaChannelFormatKindNone
};
enum cudaResourceType {
    cudaResourceTypeArray,
    cudaResourceTypeMipmappedArray,
    cudaResourceTypeLinear,
    cudaResourceTypePitch2D
};
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08
struct cudaChannelFormatDesc {
    int x, y, z, w;
    enum cudaChannelFormatKind f;
};
struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            void* devPtr;
            cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void* devPtr;
            cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
};
struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};

// What a texture or surface object points to.
struct __warptree_texels {
    unsigned long long data, row, slice; // address of the first element; bytes from row to row and from slice to slice
    int width, height, depth;            // in elements, at least 1
    int bits, channels, kind;            // of a channel; how many an element has; cudaChannelFormatKind
    int address[3], linear, as_fraction, of_unit;
    float border[4];
};

extern "C" {
cudaError_t cudaMallocArray(cudaArray_t*, const cudaChannelFormatDesc*, size_t, size_t = 0, unsigned int = 0);
cudaError_t cudaMalloc3DArray(cudaArray_t*, const cudaChannelFormatDesc*, cudaExtent, unsigned int = 0);
cudaError_t cudaFreeArray(cudaArray_t);
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc*, cudaExtent*, unsigned int*, cudaArray_t);
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc*, cudaArray_const_t);
cudaError_t cudaMemcpyToArray(cudaArray_t, size_t, size_t, const void*, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t, size_t, size_t, const void*, size_t, enum cudaMemcpyKind,
                                   cudaStream_t = nullptr);
cudaError_t cudaMemcpy2DToArray(cudaArray_t, size_t, size_t, const void*, size_t, size_t, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t, size_t, size_t, const void*, size_t, size_t, size_t,
                                     enum cudaMemcpyKind, cudaStream_t = nullptr);
cudaError_t cudaMemcpyFromArray(void*, cudaArray_const_t, size_t, size_t, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DFromArray(void*, size_t, cudaArray_const_t, size_t, size_t, size_t, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DFromArrayAsync(void*, size_t, cudaArray_const_t, size_t, size_t, size_t, size_t,
                                       enum cudaMemcpyKind, cudaStream_t = nullptr);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t*, const cudaResourceDesc*, const cudaTextureDesc*, const void*);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t*, const cudaResourceDesc*);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t);
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc*, cudaTextureObject_t);
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc*, cudaTextureObject_t);
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc*, cudaSurfaceObject_t);
}
inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) {
    return {x, y, z, w, f};
}
