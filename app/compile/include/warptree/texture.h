// Texture and surface objects: reads and writes of elements as the CUDA C++ Programming Guide defines them ("Texture
// Fetching"). Texture references, which CUDA 12 has no more, parse; reading one is an error that says so.
#pragma once

#include "warptree/host.h"

// The channels of an element.
template <class T> struct __warptree_texel {
    static constexpr int channels = 0;
};
#define __WARPTREE_TEXEL(T, C, N)                                                                                      \
    template <> struct __warptree_texel<T> {                                                                           \
        typedef C channel;                                                                                             \
        static constexpr int channels = N;                                                                             \
    };
#define __WARPTREE_TEXELS(T, N) __WARPTREE_TEXEL(T, T, 1) __WARPTREE_TEXEL(N##1, T, 1) __WARPTREE_TEXEL(N##2, T, 2) __WARPTREE_TEXEL(N##4, T, 4)
__WARPTREE_TEXEL(char, signed char, 1)
__WARPTREE_TEXELS(signed char, char)
__WARPTREE_TEXELS(unsigned char, uchar)
__WARPTREE_TEXELS(short, short)
__WARPTREE_TEXELS(unsigned short, ushort)
__WARPTREE_TEXELS(int, int)
__WARPTREE_TEXELS(unsigned int, uint)
__WARPTREE_TEXELS(float, float)
#undef __WARPTREE_TEXELS
#undef __WARPTREE_TEXEL

template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc() {
    typedef typename __warptree_texel<T>::channel C;
    const int bits = 8 * static_cast<int>(sizeof(C)), n = __warptree_texel<T>::channels;
    return {bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 2 ? bits : 0,
            __is_floating_point(C) ? cudaChannelFormatKindFloat
            : C(-1) < C(0)         ? cudaChannelFormatKindSigned
                                   : cudaChannelFormatKindUnsigned};
}

__WARPTREE_DEVICE const __warptree_texels* __warptree_texels_of(unsigned long long object) {
    return reinterpret_cast<const __warptree_texels*>(object);
}

// A channel of the element at an address. Integers become fractions of their largest value where the object says so.
template <class C> __WARPTREE_DEVICE C __warptree_channel(const __warptree_texels* t, unsigned long long at, int channel) {
    if (channel >= t->channels) return C(0);
    at += static_cast<unsigned long long>(channel * t->bits / 8);
    if (t->kind == cudaChannelFormatKindFloat)
        return static_cast<C>(t->bits == 16 ? static_cast<float>(*reinterpret_cast<const _Float16*>(at))
                                            : *reinterpret_cast<const float*>(at));
    if (t->kind == cudaChannelFormatKindSigned) {
        const int value = t->bits == 8    ? *reinterpret_cast<const signed char*>(at)
                          : t->bits == 16 ? *reinterpret_cast<const short*>(at)
                                          : *reinterpret_cast<const int*>(at);
        if (!t->as_fraction) return static_cast<C>(value);
        const float fraction = static_cast<float>(value) / (t->bits == 8 ? 127.0F : 32767.0F);
        return static_cast<C>(fraction < -1.0F ? -1.0F : fraction);
    }
    const unsigned int value = t->bits == 8    ? *reinterpret_cast<const unsigned char*>(at)
                               : t->bits == 16 ? *reinterpret_cast<const unsigned short*>(at)
                                               : *reinterpret_cast<const unsigned int*>(at);
    return static_cast<C>(t->as_fraction ? static_cast<float>(value) / (t->bits == 8 ? 255.0F : 65535.0F) : value);
}

// An index outside of 0 to n - 1 by the object's mode for that dimension; -1: the border. Only coordinates between 0
// and 1 wrap and are mirrored.
__WARPTREE_DEVICE int __warptree_addressed(const __warptree_texels* t, int i, int n, int dimension) {
    if (i >= 0 && i < n) return i;
    const int mode = t->address[dimension];
    if (mode == cudaAddressModeBorder) return -1;
    if (t->of_unit && mode == cudaAddressModeWrap) return (i % n + n) % n;
    if (t->of_unit && mode == cudaAddressModeMirror) {
        const int in_pair = (i % (2 * n) + 2 * n) % (2 * n);
        return in_pair < n ? in_pair : 2 * n - 1 - in_pair;
    }
    return i < 0 ? 0 : n - 1;
}

template <class C>
__WARPTREE_DEVICE C __warptree_element_at(const __warptree_texels* t, unsigned long long base, int x, int y, int z,
                                          int channel) {
    x = __warptree_addressed(t, x, t->width, 0);
    y = __warptree_addressed(t, y, t->height, 1);
    z = __warptree_addressed(t, z, t->depth, 2);
    if (x < 0 || y < 0 || z < 0) return static_cast<C>(t->border[channel]);
    const unsigned long long at = base + static_cast<unsigned long long>(z) * t->slice +
                                  static_cast<unsigned long long>(y) * t->row +
                                  static_cast<unsigned long long>(x * t->channels * t->bits / 8);
    return __warptree_channel<C>(t, at, channel);
}

// The element left of a coordinate, and how far the coordinate lies from its centre, in 256ths, as texture units have it.
__WARPTREE_DEVICE float __warptree_between(float coordinate, int* left) {
    const float shifted = coordinate - 0.5F, whole = floorf(shifted);
    *left = static_cast<int>(whole);
    return floorf((shifted - whole) * 256.0F + 0.5F) / 256.0F;
}

// Of `dimensions` coordinates, in the layer that begins at `base`.
template <class T, int dimensions>
__WARPTREE_DEVICE T __warptree_sampled(unsigned long long object, unsigned long long layer, float x, float y, float z) {
    typedef typename __warptree_texel<T>::channel C;
    const __warptree_texels* const t = __warptree_texels_of(object);
    const unsigned long long base = t->data + layer * t->slice;
    if (t->of_unit) {
        x *= static_cast<float>(t->width);
        y *= static_cast<float>(t->height);
        z *= static_cast<float>(t->depth);
    }
    T result;
    C* const channels = reinterpret_cast<C*>(&result);
    if (!t->linear) {
        const int i = static_cast<int>(floorf(x)), j = dimensions > 1 ? static_cast<int>(floorf(y)) : 0,
                  k = dimensions > 2 ? static_cast<int>(floorf(z)) : 0;
        for (int c = 0; c < __warptree_texel<T>::channels; ++c)
            channels[c] = __warptree_element_at<C>(t, base, i, j, k, c);
        return result;
    }
    int i = 0, j = 0, k = 0;
    const float a = __warptree_between(x, &i), b = dimensions > 1 ? __warptree_between(y, &j) : 0.0F,
                g = dimensions > 2 ? __warptree_between(z, &k) : 0.0F;
    for (int c = 0; c < __warptree_texel<T>::channels; ++c) {
        float sum = 0.0F;
        for (int corner = 0; corner < 1 << dimensions; ++corner) {
            const int right = corner & 1, below = corner >> 1 & 1, behind = corner >> 2;
            const float weight = (right ? a : 1.0F - a) * (dimensions < 2 ? 1.0F : below ? b : 1.0F - b) *
                                 (dimensions < 3 ? 1.0F : behind ? g : 1.0F - g);
            sum += weight * __warptree_element_at<float>(t, base, i + right, j + below, k + behind, c);
        }
        channels[c] = static_cast<C>(sum);
    }
    return result;
}

__WARPTREE_DEVICE unsigned long long __warptree_layer(unsigned long long object, int layer) {
    const int last = __warptree_texels_of(object)->depth - 1;
    return static_cast<unsigned long long>(layer < 0 ? 0 : layer > last ? last : layer);
}

// The face of a cube in a direction, and where on it, from 0 to 1.
__WARPTREE_DEVICE int __warptree_face(float x, float y, float z, float* s, float* t) {
    const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    float u = 0, v = 0, most = 0;
    int face = 0;
    if (ax >= ay && ax >= az)
        face = x < 0, most = ax, u = x < 0 ? z : -z, v = -y;
    else if (ay >= az)
        face = y < 0 ? 3 : 2, most = ay, u = x, v = y < 0 ? -z : z;
    else
        face = z < 0 ? 5 : 4, most = az, u = z < 0 ? -x : x, v = -y;
    *s = (u / most + 1.0F) * 0.5F;
    *t = (v / most + 1.0F) * 0.5F;
    return face;
}

template <class T> __WARPTREE_DEVICE T tex1Dfetch(cudaTextureObject_t object, int x) {
    typedef typename __warptree_texel<T>::channel C;
    const __warptree_texels* const t = __warptree_texels_of(object);
    T result;
    for (int c = 0; c < __warptree_texel<T>::channels; ++c)
        reinterpret_cast<C*>(&result)[c] = x < 0 || x >= t->width ? C(0) : __warptree_element_at<C>(t, t->data, x, 0, 0, c);
    return result;
}
template <class T> __WARPTREE_DEVICE T tex1D(cudaTextureObject_t object, float x) {
    return __warptree_sampled<T, 1>(object, 0, x, 0, 0);
}
template <class T> __WARPTREE_DEVICE T tex2D(cudaTextureObject_t object, float x, float y) {
    return __warptree_sampled<T, 2>(object, 0, x, y, 0);
}
template <class T> __WARPTREE_DEVICE T tex3D(cudaTextureObject_t object, float x, float y, float z) {
    return __warptree_sampled<T, 3>(object, 0, x, y, z);
}
template <class T> __WARPTREE_DEVICE T tex1DLayered(cudaTextureObject_t object, float x, int layer) {
    return __warptree_sampled<T, 1>(object, __warptree_layer(object, layer), x, 0, 0);
}
template <class T> __WARPTREE_DEVICE T tex2DLayered(cudaTextureObject_t object, float x, float y, int layer) {
    return __warptree_sampled<T, 2>(object, __warptree_layer(object, layer), x, y, 0);
}
template <class T> __WARPTREE_DEVICE T texCubemapLayered(cudaTextureObject_t object, float x, float y, float z, int layer) {
    float s = 0, t = 0;
    const int face = __warptree_face(x, y, z, &s, &t);
    const __warptree_texels* const texels = __warptree_texels_of(object);
    if (!texels->of_unit) s *= static_cast<float>(texels->width), t *= static_cast<float>(texels->height);
    return __warptree_sampled<T, 2>(object, __warptree_layer(object, layer * 6 + face), s, t, 0);
}
template <class T> __WARPTREE_DEVICE T texCubemap(cudaTextureObject_t object, float x, float y, float z) {
    return texCubemapLayered<T>(object, x, y, z, 0);
}
// There is one level of detail.
template <class T> __WARPTREE_DEVICE T tex1DLod(cudaTextureObject_t object, float x, float) { return tex1D<T>(object, x); }
template <class T> __WARPTREE_DEVICE T tex2DLod(cudaTextureObject_t object, float x, float y, float) {
    return tex2D<T>(object, x, y);
}
template <class T> __WARPTREE_DEVICE T tex3DLod(cudaTextureObject_t object, float x, float y, float z, float) {
    return tex3D<T>(object, x, y, z);
}
template <class T> __WARPTREE_DEVICE T tex2DGrad(cudaTextureObject_t object, float x, float y, float2, float2) {
    return tex2D<T>(object, x, y);
}
#define __WARPTREE_FETCH_TO(NAME, PARAMETERS, ARGUMENTS)                                                               \
    template <class T> __WARPTREE_DEVICE void NAME PARAMETERS { *to = NAME<T> ARGUMENTS; }
__WARPTREE_FETCH_TO(tex1Dfetch, (T * to, cudaTextureObject_t object, int x), (object, x))
__WARPTREE_FETCH_TO(tex1D, (T * to, cudaTextureObject_t object, float x), (object, x))
__WARPTREE_FETCH_TO(tex2D, (T * to, cudaTextureObject_t object, float x, float y), (object, x, y))
__WARPTREE_FETCH_TO(tex3D, (T * to, cudaTextureObject_t object, float x, float y, float z), (object, x, y, z))
__WARPTREE_FETCH_TO(tex1DLayered, (T * to, cudaTextureObject_t object, float x, int layer), (object, x, layer))
__WARPTREE_FETCH_TO(tex2DLayered, (T * to, cudaTextureObject_t object, float x, float y, int layer), (object, x, y, layer))
__WARPTREE_FETCH_TO(texCubemap, (T * to, cudaTextureObject_t object, float x, float y, float z), (object, x, y, z))
#undef __WARPTREE_FETCH_TO

// Surfaces: x in bytes. The place of an element; 0: it lies outside and is neither read nor written.
template <class T>
__WARPTREE_DEVICE unsigned long long __warptree_surface_place(cudaSurfaceObject_t object, int x, int y, int z,
                                                              cudaSurfaceBoundaryMode mode) {
    const __warptree_texels* const t = __warptree_texels_of(object);
    const int bytes = t->width * t->channels * t->bits / 8, size = static_cast<int>(sizeof(T));
    if (x < 0 || x + size > bytes || y < 0 || y >= t->height || z < 0 || z >= t->depth) {
        if (mode == cudaBoundaryModeTrap) __builtin_trap();
        if (mode == cudaBoundaryModeZero) return 0;
        x = x < 0 ? 0 : x + size > bytes ? bytes - size : x;
        y = y < 0 ? 0 : y >= t->height ? t->height - 1 : y;
        z = z < 0 ? 0 : z >= t->depth ? t->depth - 1 : z;
    }
    return t->data + static_cast<unsigned long long>(z) * t->slice + static_cast<unsigned long long>(y) * t->row +
           static_cast<unsigned long long>(x);
}
#define __WARPTREE_SURFACE(NAME, PARAMETERS, X, Y, Z)                                                                  \
    template <class T>                                                                                                 \
    __WARPTREE_DEVICE T NAME##read(cudaSurfaceObject_t object, PARAMETERS,                                             \
                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                              \
        const unsigned long long at = __warptree_surface_place<T>(object, X, Y, Z, mode);                              \
        return at == 0 ? T{} : *reinterpret_cast<const T*>(at);                                                        \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    __WARPTREE_DEVICE void NAME##read(T* to, cudaSurfaceObject_t object, PARAMETERS,                                   \
                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                           \
        const unsigned long long at = __warptree_surface_place<T>(object, X, Y, Z, mode);                              \
        *to = at == 0 ? T{} : *reinterpret_cast<const T*>(at);                                                         \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    __WARPTREE_DEVICE void NAME##write(T value, cudaSurfaceObject_t object, PARAMETERS,                                \
                                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                          \
        if (const unsigned long long at = __warptree_surface_place<T>(object, X, Y, Z, mode); at != 0)                 \
            *reinterpret_cast<T*>(at) = value;                                                                         \
    }
#define __WARPTREE_COORDINATES(...) __VA_ARGS__
__WARPTREE_SURFACE(surf1D, int x, x, 0, 0)
__WARPTREE_SURFACE(surf2D, __WARPTREE_COORDINATES(int x, int y), x, y, 0)
__WARPTREE_SURFACE(surf3D, __WARPTREE_COORDINATES(int x, int y, int z), x, y, z)
__WARPTREE_SURFACE(surf2DLayered, __WARPTREE_COORDINATES(int x, int y, int layer), x, y, layer)
#undef __WARPTREE_COORDINATES
#undef __WARPTREE_SURFACE

// Texture references.
#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaTextureTypeCubemapLayered 0xFC
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
#define __WARPTREE_FETCH(name)                                                                                         \
    template <class T, int dimensions, enum cudaTextureReadMode mode, class... Coordinates>                            \
    __device__ __attribute__((unavailable("texture references, which CUDA 12 no longer has, are not part of "          \
                                          "warptree; take a texture object")))                                         \
    T name(texture<T, dimensions, mode>, Coordinates...);
__WARPTREE_FETCH(tex1Dfetch)
__WARPTREE_FETCH(tex1D)
__WARPTREE_FETCH(tex2D)
__WARPTREE_FETCH(tex3D)
__WARPTREE_FETCH(tex1DLayered)
__WARPTREE_FETCH(tex2DLayered)
#undef __WARPTREE_FETCH
