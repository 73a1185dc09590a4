// Arrays, and the objects through which kernels read and write them.
#include "app/host/api.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

using namespace warptree::host;

struct cudaArray {
    ArrayView view;
    cudaChannelFormatDesc channels{};
    cudaExtent extent{}; // as it was asked for: 0 where there is no such dimension
    unsigned flags = 0;
};

namespace {

// Bits of an element, or 0: CUDA has no such one.
int bits_of(const cudaChannelFormatDesc& d) {
    const bool same = (d.y == 0 || d.y == d.x) && (d.z == 0 || d.z == d.x) && (d.w == 0 || d.w == d.x);
    const bool known = d.x == 8 || d.x == 16 || d.x == 32;
    return same && known && (d.f != cudaChannelFormatKindFloat || d.x != 8) ? d.x + d.y + d.z + d.w : 0;
}

std::uint64_t element_of(const cudaChannelFormatDesc& d) {
    const std::uint64_t kind = d.f == cudaChannelFormatKindFloat    ? d.x == 32 ? 3 : 0
                               : d.f == cudaChannelFormatKindSigned ? 1
                                                                    : 2;
    return kind | static_cast<std::uint64_t>(d.x / 8) << 8;
}

cudaError_t make_array(cudaArray_t* to, const cudaChannelFormatDesc* channels, cudaExtent extent, unsigned flags,
                       const void* from) {
    if (to == nullptr || channels == nullptr || bits_of(*channels) == 0 || extent.width == 0)
        return refused(cudaErrorInvalidValue, from);
    const std::uint64_t element = static_cast<std::uint64_t>(bits_of(*channels)) / 8;
    const std::uint64_t rows = std::max<std::size_t>(extent.height, 1), slices = std::max<std::size_t>(extent.depth, 1);
    constexpr std::uint64_t kMost = 1ULL << 32;
    if (extent.width > kMost || rows > kMost / extent.width || slices > kMost / extent.width / rows)
        return refused(cudaErrorMemoryAllocation, from);
    const std::uint64_t pitch = extent.width * element;
    const Reply reply = ask(Call::allocate, {pitch * rows * slices, element_of(*channels)}, from);
    if (reply.error() != cudaSuccess) return error_of(reply);
    *to = new cudaArray{{reply.word(0), pitch, rows, element}, *channels, extent, flags};
    return cudaSuccess;
}

// The objects that there are, for cudaDestroy…: what is no object must not be freed as one.
struct Objects {
    std::mutex one;
    std::map<std::uint64_t, std::pair<cudaResourceDesc, cudaTextureDesc>> all;
};
Objects& objects() {
    static Objects them;
    return them;
}

// What a resource holds. False: it is none that can be read through an object.
bool describe(const cudaResourceDesc& resource, __warptree_texels& to) {
    cudaChannelFormatDesc channels{};
    std::uint64_t width = 0, height = 1, depth = 1;
    switch (resource.resType) {
    case cudaResourceTypeArray: {
        const cudaArray* const array = resource.res.array.array;
        if (array == nullptr) return false;
        channels = array->channels;
        to.data = array->view.address;
        to.row = array->view.pitch;
        width = array->extent.width;
        height = std::max<std::size_t>(array->extent.height, 1);
        depth = std::max<std::size_t>(array->extent.depth, 1);
        break;
    }
    case cudaResourceTypeLinear:
        channels = resource.res.linear.desc;
        to.data = bits(resource.res.linear.devPtr);
        if (bits_of(channels) != 0)
            width = resource.res.linear.sizeInBytes / (static_cast<std::uint64_t>(bits_of(channels)) / 8);
        to.row = resource.res.linear.sizeInBytes;
        break;
    case cudaResourceTypePitch2D:
        channels = resource.res.pitch2D.desc;
        to.data = bits(resource.res.pitch2D.devPtr);
        to.row = resource.res.pitch2D.pitchInBytes;
        width = resource.res.pitch2D.width;
        height = resource.res.pitch2D.height;
        break;
    default: return false; // several levels of detail
    }
    constexpr std::uint64_t kMost = 0x7FFFFFFF;
    if (bits_of(channels) == 0 || to.data == 0 || width == 0 || height == 0 || width > kMost || height > kMost)
        return false;
    to.slice = to.row * height;
    to.width = static_cast<int>(width);
    to.height = static_cast<int>(height);
    to.depth = static_cast<int>(depth);
    to.bits = channels.x;
    to.channels = bits_of(channels) / channels.x;
    to.kind = channels.f;
    return true;
}

cudaError_t make_object(cudaTextureObject_t* to, const cudaResourceDesc& resource, const cudaTextureDesc& texture,
                        const __warptree_texels& texels, const void* from) {
    const Reply reply = ask(Call::allocate, {sizeof texels, 0}, from);
    if (reply.error() != cudaSuccess) return error_of(reply);
    __warptree_texels copy = texels;
    pass_bytes(reply.word(0), &copy, sizeof copy, true, from);
    Objects& known = objects();
    const std::lock_guard<std::mutex> hold(known.one);
    known.all[reply.word(0)] = {resource, texture};
    *to = reply.word(0);
    return cudaSuccess;
}

// What an object was made of.
template <class Part> cudaError_t tell_object(std::uint64_t object, Part* to, const void* from) {
    Objects& known = objects();
    const std::lock_guard<std::mutex> hold(known.one);
    const auto at = known.all.find(object);
    if (to == nullptr || at == known.all.end()) return refused(cudaErrorInvalidValue, from);
    *to = std::get<Part>(at->second);
    return cudaSuccess;
}

cudaError_t drop_object(std::uint64_t object, const void* from) {
    {
        Objects& known = objects();
        const std::lock_guard<std::mutex> hold(known.one);
        if (object != 0 && known.all.erase(object) == 0) return refused(cudaErrorInvalidValue, from);
    }
    return error_of(ask(Call::release, {object, 0, 0}, from));
}

// Rows of an array, from a byte of a row on.
cudaError_t rows(const cudaArray* array, std::size_t x, std::size_t y, void* host, std::size_t pitch, std::size_t width,
                 std::size_t height, bool to_array, enum cudaMemcpyKind kind, const void* from, cudaStream_t stream,
                 bool waits) {
    if (array == nullptr || x > array->view.pitch || width > array->view.pitch - x || y > array->view.rows ||
        height > array->view.rows - y)
        return refused(cudaErrorInvalidValue, from);
    void* const place = reinterpret_cast<void*>(array->view.address + y * array->view.pitch + x);
    return to_array ? copy_rows_in({place, array->view.pitch}, {host, pitch}, width, height, kind, stream, waits, from)
                    : copy_rows_in({host, pitch}, {place, array->view.pitch}, width, height, kind, stream, waits, from);
}

// Bytes in a row, which go on in the rows that follow.
cudaError_t bytes_in_rows(const cudaArray* array, std::size_t x, std::size_t y, void* host, std::size_t bytes,
                          bool to_array, enum cudaMemcpyKind kind, const void* from, cudaStream_t stream, bool waits) {
    if (array == nullptr) return refused(cudaErrorInvalidValue, from);
    const std::uint64_t begin = y * array->view.pitch + x, all = array->view.pitch * array->view.rows;
    if (begin > all || bytes > all - begin) return refused(cudaErrorInvalidValue, from);
    void* const place = reinterpret_cast<void*>(array->view.address + begin);
    return to_array ? copy_rows_in({place, bytes}, {host, bytes}, bytes, 1, kind, stream, waits, from)
                    : copy_rows_in({host, bytes}, {place, bytes}, bytes, 1, kind, stream, waits, from);
}

} // namespace

namespace warptree::host {
const ArrayView& view_of(const cudaArray* array) { return array->view; }
} // namespace warptree::host

extern "C" {

cudaError_t cudaMallocArray(cudaArray_t* to, const cudaChannelFormatDesc* channels, std::size_t width,
                            std::size_t height, unsigned flags) {
    return make_array(to, channels, {width, height, 0}, flags, WARPTREE_CALLER);
}
cudaError_t cudaMalloc3DArray(cudaArray_t* to, const cudaChannelFormatDesc* channels, cudaExtent extent,
                              unsigned flags) {
    return make_array(to, channels, extent, flags, WARPTREE_CALLER);
}
cudaError_t cudaFreeArray(cudaArray_t array) {
    if (array == nullptr) return cudaSuccess;
    const Reply reply = ask(Call::release, {array->view.address, 0, 0}, WARPTREE_CALLER);
    delete array;
    return error_of(reply);
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* channels, cudaExtent* extent, unsigned* flags, cudaArray_t array) {
    if (array == nullptr) return refused(cudaErrorInvalidResourceHandle, WARPTREE_CALLER);
    if (channels != nullptr) *channels = array->channels;
    if (extent != nullptr) *extent = array->extent;
    if (flags != nullptr) *flags = array->flags;
    return cudaSuccess;
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* to, cudaArray_const_t array) {
    if (array == nullptr) return refused(cudaErrorInvalidResourceHandle, WARPTREE_CALLER);
    *to = array->channels;
    return cudaSuccess;
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t bytes,
                              enum cudaMemcpyKind kind) {
    return bytes_in_rows(to, x, y, const_cast<void*>(from), bytes, true, kind, WARPTREE_CALLER, nullptr, true);
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t bytes,
                                   enum cudaMemcpyKind kind, cudaStream_t stream) {
    return bytes_in_rows(to, x, y, const_cast<void*>(from), bytes, true, kind, WARPTREE_CALLER, stream, false);
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t bytes,
                                enum cudaMemcpyKind kind) {
    return bytes_in_rows(from, x, y, to, bytes, false, kind, WARPTREE_CALLER, nullptr, true);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                                std::size_t width, std::size_t height, enum cudaMemcpyKind kind) {
    return rows(to, x, y, const_cast<void*>(from), pitch, width, height, true, kind, WARPTREE_CALLER, nullptr, true);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                                     std::size_t width, std::size_t height, enum cudaMemcpyKind kind,
                                     cudaStream_t stream) {
    return rows(to, x, y, const_cast<void*>(from), pitch, width, height, true, kind, WARPTREE_CALLER, stream, false);
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
                                  std::size_t width, std::size_t height, enum cudaMemcpyKind kind) {
    return rows(from, x, y, to, pitch, width, height, false, kind, WARPTREE_CALLER, nullptr, true);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x,
                                       std::size_t y, std::size_t width, std::size_t height, enum cudaMemcpyKind kind,
                                       cudaStream_t stream) {
    return rows(from, x, y, to, pitch, width, height, false, kind, WARPTREE_CALLER, stream, false);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* to, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture, const void* view) {
    if (to == nullptr || resource == nullptr || texture == nullptr)
        return refused(cudaErrorInvalidValue, WARPTREE_CALLER);
    __warptree_texels texels{};
    if (view != nullptr || texture->sRGB != 0) return refused(cudaErrorNotSupported, WARPTREE_CALLER);
    if (!describe(*resource, texels)) return refused(cudaErrorInvalidValue, WARPTREE_CALLER);
    std::copy_n(texture->addressMode, 3, texels.address);
    std::copy_n(texture->borderColor, 4, texels.border);
    texels.linear = texture->filterMode == cudaFilterModeLinear ? 1 : 0;
    const bool integers = texels.kind != cudaChannelFormatKindFloat;
    texels.as_fraction = integers && texture->readMode == cudaReadModeNormalizedFloat ? 1 : 0;
    texels.of_unit = texture->normalizedCoords != 0 ? 1 : 0;
    if (texels.as_fraction != 0 && texels.bits == 32) return refused(cudaErrorInvalidNormSetting, WARPTREE_CALLER);
    if (texels.linear != 0 && integers && texels.as_fraction == 0)
        return refused(cudaErrorInvalidFilterSetting, WARPTREE_CALLER);
    return make_object(to, *resource, *texture, texels, WARPTREE_CALLER);
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) { return drop_object(object, WARPTREE_CALLER); }
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* to, const cudaResourceDesc* resource) {
    __warptree_texels texels{};
    if (to == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray ||
        !describe(*resource, texels))
        return refused(cudaErrorInvalidValue, WARPTREE_CALLER);
    return make_object(to, *resource, {}, texels, WARPTREE_CALLER);
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* to, cudaTextureObject_t object) {
    return tell_object(object, to, WARPTREE_CALLER);
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* to, cudaTextureObject_t object) {
    return tell_object(object, to, WARPTREE_CALLER);
}
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* to, cudaSurfaceObject_t object) {
    return tell_object(object, to, WARPTREE_CALLER);
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return drop_object(object, WARPTREE_CALLER); }
}
