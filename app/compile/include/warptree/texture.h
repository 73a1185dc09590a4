// Textures and surfaces, so that files that have them parse. Reading one is an error that says so.
#pragma once

#include "warptree/host.h"

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
#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
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
};
struct textureReference {
    int normalized;
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureAddressMode addressMode[3];
    cudaChannelFormatDesc channelDesc;
};
template <class T, int dimensions = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : textureReference {};
template <class T, int dimensions = 1>
struct __attribute__((device_builtin_surface_type)) surface {};

template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc();
cudaChannelFormatDesc cudaCreateChannelDesc(int, int, int, int, enum cudaChannelFormatKind);
template <class... T>
cudaError_t cudaBindTexture(T&&...);
template <class... T>
cudaError_t cudaBindTexture2D(T&&...);
template <class... T>
cudaError_t cudaBindTextureToArray(T&&...);
template <class... T>
cudaError_t cudaUnbindTexture(T&&...);
template <class... T>
cudaError_t cudaBindSurfaceToArray(T&&...);
extern "C" {
cudaError_t cudaMallocArray(cudaArray_t*, const cudaChannelFormatDesc*, size_t, size_t = 0, unsigned int = 0);
cudaError_t cudaMalloc3DArray(cudaArray_t*, const cudaChannelFormatDesc*, cudaExtent, unsigned int = 0);
cudaError_t cudaFreeArray(cudaArray_t);
cudaError_t cudaMemcpyToArray(cudaArray_t, size_t, size_t, const void*, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DToArray(cudaArray_t, size_t, size_t, const void*, size_t, size_t, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpyFromArray(void*, cudaArray_const_t, size_t, size_t, size_t, enum cudaMemcpyKind);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t*, const cudaResourceDesc*, const cudaTextureDesc*, const void*);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t*, const cudaResourceDesc*);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t);
}

#define __WARPTREE_UNAVAILABLE(what)                                                                                   \
    __device__ __attribute__((unavailable(what " are not part of warptree; use the array itself")))
#define __WARPTREE_FETCH(name)                                                                                         \
    template <class T, int dimensions, enum cudaTextureReadMode mode, class... Coordinates>                            \
    __WARPTREE_UNAVAILABLE("textures")                                                                                 \
    T name(texture<T, dimensions, mode>, Coordinates...);                                                              \
    template <class T, class... Coordinates>                                                                           \
    __WARPTREE_UNAVAILABLE("textures")                                                                                 \
    T name(cudaTextureObject_t, Coordinates...);                                                                       \
    template <class T, class... Coordinates>                                                                           \
    __WARPTREE_UNAVAILABLE("textures")                                                                                 \
    void name(T*, cudaTextureObject_t, Coordinates...);
__WARPTREE_FETCH(tex1Dfetch)
__WARPTREE_FETCH(tex1D)
__WARPTREE_FETCH(tex2D)
__WARPTREE_FETCH(tex3D)
__WARPTREE_FETCH(tex1DLod)
__WARPTREE_FETCH(tex2DLod)
__WARPTREE_FETCH(tex3DLod)
__WARPTREE_FETCH(tex1DLayered)
__WARPTREE_FETCH(tex2DLayered)
__WARPTREE_FETCH(tex2DGrad)
__WARPTREE_FETCH(tex2Dgather)
__WARPTREE_FETCH(texCubemap)
#undef __WARPTREE_FETCH
#define __WARPTREE_SURFACE(name)                                                                                       \
    template <class T, class... A>                                                                                     \
    __WARPTREE_UNAVAILABLE("surfaces")                                                                                 \
    T name##read(A&&...);                                                                                              \
    template <class T, class... A>                                                                                     \
    __WARPTREE_UNAVAILABLE("surfaces")                                                                                 \
    void name##read(T*, A&&...);                                                                                       \
    template <class T, class... A>                                                                                     \
    __WARPTREE_UNAVAILABLE("surfaces")                                                                                 \
    void name##write(T, A&&...);
__WARPTREE_SURFACE(surf1D)
__WARPTREE_SURFACE(surf2D)
__WARPTREE_SURFACE(surf3D)
__WARPTREE_SURFACE(surf2DLayered)
#undef __WARPTREE_SURFACE
#undef __WARPTREE_UNAVAILABLE
