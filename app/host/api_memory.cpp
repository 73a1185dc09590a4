// Memory: allocation, copies, sets, symbols.
#include "app/host/api.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>

using namespace warptree::host;

namespace {

constexpr std::uint64_t kPage = 4096;

cudaError_t allocate(void** to, std::size_t bytes, unsigned element, const void* from) {
    if (to == nullptr) return refused(cudaErrorInvalidValue, Misuse::no_address, from);
    const Reply reply = ask(Call::allocate, {bytes, element}, from);
    if (reply.error() == cudaSuccess) *to = reinterpret_cast<void*>(reply.word(0));
    return error_of(reply);
}

cudaError_t allocate_shared(void** to, std::size_t bytes, unsigned element, bool managed, const void* from) {
    if (const cudaError_t e = forbidden_allocation(from); e != cudaSuccess) return e;
    const Reply reply = ask(Call::allocate_shared, {bytes, element, managed ? 1ULL : 0ULL}, from);
    if (reply.error() != cudaSuccess) return error_of(reply);
    const std::uint64_t room = (bytes + kPage - 1) / kPage * kPage;
    if (!map_shared(reply.word(0), reply.word(1), room)) return refused(cudaErrorMemoryAllocation, from);
    *to = reinterpret_cast<void*>(reply.word(0));
    return cudaSuccess;
}

struct Area {
    std::uint64_t to = 0, from = 0, width = 0, height = 1, to_pitch = 0, from_pitch = 0;
};

// Rows between this process and the device, through the stage.
cudaError_t pass(const Area& area, bool to_device, const void* caller) {
    std::byte* const room = stage();
    for (std::uint64_t row = 0; row < area.height;) {
        for (std::uint64_t column = 0; column < area.width;) {
            const std::uint64_t width = std::min(area.width - column, kStageBytes);
            const std::uint64_t rows = width < area.width ? 1 : std::min(kStageBytes / width, area.height - row);
            const std::uint64_t device =
                (to_device ? area.to + row * area.to_pitch : area.from + row * area.from_pitch) + column;
            const std::uint64_t pitch = to_device ? area.to_pitch : area.from_pitch;
            auto* host = reinterpret_cast<std::byte*>(
                (to_device ? area.from + row * area.from_pitch : area.to + row * area.to_pitch) + column);
            const std::uint64_t host_pitch = to_device ? area.from_pitch : area.to_pitch;
            for (std::uint64_t r = 0; to_device && r < rows; ++r)
                std::memcpy(room + r * width, host + r * host_pitch, width);
            const Reply reply = ask(to_device ? Call::stage_in : Call::stage_out, {device, pitch, width, rows}, caller);
            if (reply.error() != cudaSuccess) return error_of(reply);
            for (std::uint64_t r = 0; !to_device && r < rows; ++r)
                std::memcpy(host + r * host_pitch, room + r * width, width);
            column += width;
            if (column == area.width) row += rows;
        }
    }
    return cudaSuccess;
}

// How work is asked for that the host waits for, unless it is part of a graph; and work in a stream.
std::uint64_t waited_for() { return runs_a_graph() ? in_stream(stream_number(nullptr)) : 0; }
std::uint64_t in(cudaStream_t stream) { return in_stream(stream_number(stream)); }

// kind: as an integer, as a program may give any.
cudaError_t copy(const Area& area, int kind, const void* caller, std::uint64_t how) {
    const Reply reply = ask(Call::copy,
                            {area.to, area.from, area.width, area.height, area.to_pitch, area.from_pitch,
                             static_cast<std::uint32_t>(kind) | how},
                            caller);
    if (reply.error() != cudaSuccess || area.width == 0) return error_of(reply);
    switch (static_cast<Part>(reply.word(0))) {
    case Part::nothing: return cudaSuccess;
    case Part::sends: return pass(area, true, caller);
    case Part::receives: return pass(area, false, caller);
    case Part::copies:
        for (std::uint64_t r = 0; r < area.height; ++r)
            std::memmove(reinterpret_cast<void*>(area.to + r * area.to_pitch),
                         reinterpret_cast<const void*>(area.from + r * area.from_pitch), area.width);
        return cudaSuccess;
    }
    return cudaErrorUnknown;
}

Area row(void* to, const void* from, std::size_t bytes) { return {bits(to), bits(from), bytes, 1, bytes, bytes}; }

// Tells of an object of the host, as the compiler knows it at the call, that has fewer bytes than are copied. What may be written.
std::size_t within_objects(std::size_t bytes, std::size_t to_room, std::size_t from_room, const void* caller) {
    if (bytes > from_room) ask(Call::small_object, {1, from_room, bytes}, caller);
    if (bytes > to_room) ask(Call::small_object, {0, to_room, bytes}, caller);
    return std::min(bytes, to_room);
}

bool are_devices(int one, int other, const void* caller) {
    const std::uint64_t count = ask(Call::device_count, {}, caller).word(0);
    return static_cast<std::uint64_t>(one) < count && static_cast<std::uint64_t>(other) < count;
}

// Pitches are at least the width.
cudaError_t copy_rows(const Area& area, int kind, const void* caller, std::uint64_t how) {
    if (area.width > area.to_pitch || area.width > area.from_pitch) return refused(cudaErrorInvalidPitchValue, caller);
    return copy(area, kind, caller, how);
}

// Boxes, slice by slice.
cudaError_t copy_box(const cudaMemcpy3DParms& p, const void* caller, std::uint64_t how) {
    // Of an array positions, and then widths, are in elements.
    const auto view = [](const cudaPitchedPtr& memory, const cudaArray* array) {
        return array != nullptr ? view_of(array) : ArrayView{bits(memory.ptr), memory.pitch, memory.ysize, 1};
    };
    const ArrayView to = view(p.dstPtr, p.dstArray), from = view(p.srcPtr, p.srcArray);
    for (std::size_t z = 0; z < p.extent.depth; ++z) {
        const auto at = [&](const ArrayView& v, const cudaPos& position) {
            return v.address + ((position.z + z) * v.rows + position.y) * v.pitch + position.x * v.element;
        };
        const Area area = {at(to, p.dstPos), at(from, p.srcPos), p.extent.width * std::max(to.element, from.element),
                           p.extent.height,  to.pitch,           from.pitch};
        if (const cudaError_t error = copy_rows(area, p.kind, caller, how); error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

cudaError_t set(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height, const void* caller,
                std::uint64_t how) {
    return error_of(
        ask(Call::set, {bits(to), pitch, static_cast<std::uint64_t>(value & 0xFF), width, height, how}, caller));
}

// The slices of a box lie ysize rows apart.
cudaError_t set_box(cudaPitchedPtr to, int value, cudaExtent extent, const void* caller, std::uint64_t how) {
    if (extent.width > to.pitch || extent.height > to.ysize) return refused(cudaErrorInvalidValue, caller);
    for (std::size_t z = 0; z < extent.depth; ++z) {
        void* const slice = static_cast<std::byte*>(to.ptr) + z * to.ysize * to.pitch;
        const cudaError_t error = set(slice, to.pitch, value, extent.width, extent.height, caller, how);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

cudaError_t release(void* memory, bool host, const void* caller, bool later = false) {
    const Reply reply = ask(Call::release, {bits(memory), host ? 1ULL : 0ULL, later ? 1ULL : 0ULL}, caller);
    if (reply.error() == cudaSuccess && reply.word(0) != 0) unmap_shared(reply.word(0), reply.word(1));
    return error_of(reply);
}

// The place of a symbol on the device, if that part of it exists.
cudaError_t symbol_at(const void* symbol, std::size_t offset, std::uint64_t& address, const void* caller) {
    const std::uint64_t variable = variable_number(symbol);
    if (variable == ~0ULL) return refused(cudaErrorInvalidSymbol, caller);
    const Reply reply = ask(Call::symbol_address, {variable}, caller);
    address = reply.word(0) + offset;
    return error_of(reply);
}

struct Registered {
    std::mutex one;
    std::map<std::uint64_t, std::uint64_t> ranges; // bytes by address
};
Registered& registered() {
    static Registered all;
    return all;
}

cudaError_t to_symbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int kind,
                      const void* caller, std::uint64_t how) {
    std::uint64_t address = 0;
    if (const cudaError_t error = symbol_at(symbol, offset, address, caller); error != cudaSuccess) return error;
    const cudaError_t error = copy(row(reinterpret_cast<void*>(address), from, bytes), kind, caller, how);
    pass_managed(false, caller);
    return error;
}
cudaError_t from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind,
                        const void* caller, std::uint64_t how) {
    std::uint64_t address = 0;
    if (const cudaError_t error = symbol_at(symbol, offset, address, caller); error != cudaSuccess) return error;
    pass_managed(true, caller);
    return copy(row(to, reinterpret_cast<const void*>(address), bytes), kind, caller, how);
}

} // namespace

namespace warptree::host {
cudaError_t copy_rows_in(Pitched to, Pitched from, std::size_t width, std::size_t height, int kind, cudaStream_t stream,
                         bool waits, const void* caller) {
    const Area area = {bits(to.memory), bits(from.memory), width, height, to.pitch, from.pitch};
    const auto work = [=] { return copy_rows(area, kind, caller, waits ? waited_for() : in(stream)); };
    return in_order(waits ? nullptr : stream, work, caller);
}
void pass_bytes(std::uint64_t device, void* host, std::size_t bytes, bool to_device, const void* from) {
    const Area area =
        to_device ? Area{device, bits(host), bytes, 1, bytes, bytes} : Area{bits(host), device, bytes, 1, bytes, bytes};
    pass(area, to_device, from);
}
} // namespace warptree::host

extern "C" {

cudaError_t __warptree_malloc(void** to, std::size_t bytes, unsigned element) {
    if (const cudaError_t e = forbidden_allocation(WARPTREE_CALLER); e != cudaSuccess) return e;
    return allocate(to, bytes, element, WARPTREE_CALLER);
}
// In the order of a stream, which a capture allows.
cudaError_t __warptree_malloc_async(void** to, std::size_t bytes, unsigned element) {
    return allocate(to, bytes, element, WARPTREE_CALLER);
}

cudaError_t __warptree_library_malloc(void** to, std::size_t bytes, unsigned element) {
    const Reply reply = ask(Call::allocate, {bytes, element | kOfALibrarysOwn}, WARPTREE_CALLER);
    if (reply.error() == cudaSuccess) *to = reinterpret_cast<void*>(reply.word(0));
    return error_of(reply);
}

cudaError_t __warptree_malloc_managed(void** to, std::size_t bytes, unsigned element, unsigned) {
    if (to == nullptr) return refused(cudaErrorInvalidValue, WARPTREE_CALLER);
    return allocate_shared(to, bytes, element, true, WARPTREE_CALLER);
}

cudaError_t __warptree_malloc_host(void** to, std::size_t bytes, unsigned element, unsigned) {
    if (to == nullptr) return refused(cudaErrorInvalidValue, WARPTREE_CALLER);
    return allocate_shared(to, bytes, element, false, WARPTREE_CALLER);
}

cudaError_t __warptree_malloc_pitch(void** to, std::size_t* pitch, std::size_t width, std::size_t height,
                                    unsigned element) {
    if (const cudaError_t e = forbidden_allocation(WARPTREE_CALLER); e != cudaSuccess) return e;
    if (to == nullptr || pitch == nullptr) return refused(cudaErrorInvalidValue, WARPTREE_CALLER);
    const Reply reply = ask(Call::allocate_pitch, {width, height, element}, WARPTREE_CALLER);
    if (reply.error() == cudaSuccess) {
        *to = reinterpret_cast<void*>(reply.word(0));
        *pitch = reply.word(1);
    }
    return error_of(reply);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* to, cudaExtent extent) {
    const Reply reply = ask(Call::allocate_pitch, {extent.width, extent.height * extent.depth, 0}, WARPTREE_CALLER);
    if (reply.error() == cudaSuccess)
        *to = {reinterpret_cast<void*>(reply.word(0)), reply.word(1), extent.width, extent.height};
    return error_of(reply);
}

cudaError_t __warptree_host_device_pointer(void** to, void* host) {
    const Reply reply = ask(Call::pointer_facts, {bits(host)}, WARPTREE_CALLER);
    if (reply.word(1) == 0) return refused(cudaErrorInvalidValue, WARPTREE_CALLER);
    *to = reinterpret_cast<void*>(reply.word(1));
    return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
    if (const cudaError_t e = forbidden_allocation(WARPTREE_CALLER); e != cudaSuccess) return e;
    return release(memory, false, WARPTREE_CALLER);
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t) { return release(memory, false, WARPTREE_CALLER, true); }
cudaError_t cudaFreeHost(void* memory) { return release(memory, true, WARPTREE_CALLER); }

cudaError_t __warptree_copy(void* to, const void* from, std::size_t bytes, enum cudaMemcpyKind kind,
                            std::size_t to_room, std::size_t from_room) {
    const void* const caller = WARPTREE_CALLER;
    const std::size_t all = within_objects(bytes, to_room, from_room, caller);
    return in_order(
        nullptr, [=, kind = static_cast<int>(kind)] { return copy(row(to, from, all), kind, caller, waited_for()); },
        caller);
}
cudaError_t __warptree_copy_async(void* to, const void* from, std::size_t bytes, enum cudaMemcpyKind kind,
                                  cudaStream_t stream, std::size_t to_room, std::size_t from_room) {
    const void* const caller = WARPTREE_CALLER;
    const std::size_t all = within_objects(bytes, to_room, from_room, caller);
    return in_order(
        stream, [=, kind = static_cast<int>(kind)] { return copy(row(to, from, all), kind, caller, in(stream)); },
        caller);
}
// Called where the program takes their address.
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, enum cudaMemcpyKind kind) {
    const void* const caller = WARPTREE_CALLER;
    return in_order(
        nullptr, [=, kind = static_cast<int>(kind)] { return copy(row(to, from, bytes), kind, caller, waited_for()); },
        caller);
}
cudaError_t __warptree_library_copy(void* to, const void* from, std::size_t bytes) {
    return copy(row(to, from, bytes), cudaMemcpyDefault, WARPTREE_CALLER, kOfALibrary);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    const void* const caller = WARPTREE_CALLER;
    const auto work = [=, kind = static_cast<int>(kind)] {
        return copy(row(to, from, bytes), kind, caller, in(stream));
    };
    return in_order(stream, work, caller);
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
    if (!are_devices(to_device, from_device, WARPTREE_CALLER)) return refused(cudaErrorInvalidDevice, WARPTREE_CALLER);
    return copy(row(to, from, bytes), cudaMemcpyDeviceToDevice, WARPTREE_CALLER, waited_for() | kFromIsThird);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream) {
    const void* const caller = WARPTREE_CALLER;
    if (!are_devices(to_device, from_device, caller)) return refused(cudaErrorInvalidDevice, caller);
    const auto work = [=] {
        return copy(row(to, from, bytes), cudaMemcpyDeviceToDevice, caller, in(stream) | kFromIsThird);
    };
    return in_order(stream, work, caller);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                         std::size_t height, enum cudaMemcpyKind kind) {
    const void* const caller = WARPTREE_CALLER;
    const auto work = [=, kind = static_cast<int>(kind)] {
        return copy_rows({bits(to), bits(from), width, height, to_pitch, from_pitch}, kind, caller,
                         waited_for() | kFromIsThird);
    };
    return in_order(nullptr, work, caller);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
    const void* const caller = WARPTREE_CALLER;
    const auto work = [=, kind = static_cast<int>(kind)] {
        return copy_rows({bits(to), bits(from), width, height, to_pitch, from_pitch}, kind, caller,
                         in(stream) | kFromIsThird);
    };
    return in_order(stream, work, caller);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
    const void* const caller = WARPTREE_CALLER;
    return in_order(
        nullptr, [=] { return copy_box(*p, caller, waited_for()); }, caller);
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
    const void* const caller = WARPTREE_CALLER;
    return in_order(
        nullptr, [=] { return set(to, bytes, value, bytes, 1, caller, waited_for()); }, caller);
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    const void* const caller = WARPTREE_CALLER;
    const auto work = [=] { return set(to, bytes, value, bytes, 1, caller, in(stream)); };
    return in_order(stream, work, caller);
}
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    if (width > pitch) return refused(cudaErrorInvalidValue, WARPTREE_CALLER);
    const void* const caller = WARPTREE_CALLER;
    return in_order(
        nullptr, [=] { return set(to, pitch, value, width, height, caller, waited_for()); }, caller);
}

cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t stream) {
    const void* const caller = WARPTREE_CALLER;
    if (width > pitch) return refused(cudaErrorInvalidValue, caller);
    const auto work = [=] { return set(to, pitch, value, width, height, caller, in(stream)); };
    return in_order(stream, work, caller);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
    const void* const caller = WARPTREE_CALLER;
    const auto work = [=] { return set_box(to, value, extent, caller, in(stream)); };
    return in_order(stream, work, caller);
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
    const void* const caller = WARPTREE_CALLER;
    return in_order(
        nullptr, [=] { return set_box(to, value, extent, caller, waited_for()); }, caller);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
    const void* const caller = WARPTREE_CALLER;
    const auto work = [parameters = *p, caller, stream] { return copy_box(parameters, caller, in(stream)); };
    return in_order(stream, work, caller);
}
cudaError_t cudaHostGetFlags(unsigned* to, void*) {
    *to = cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t __warptree_to_symbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                 int kind) {
    const void* const caller = WARPTREE_CALLER;
    const auto work = [=] { return to_symbol(symbol, from, bytes, offset, kind, caller, waited_for()); };
    return in_order(nullptr, work, caller);
}
cudaError_t __warptree_from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind) {
    const void* const caller = WARPTREE_CALLER;
    const auto work = [=] { return from_symbol(to, symbol, bytes, offset, kind, caller, waited_for()); };
    return in_order(nullptr, work, caller);
}
cudaError_t __warptree_to_symbol_async(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                       int kind, cudaStream_t stream) {
    const void* const caller = WARPTREE_CALLER;
    const auto work = [=] { return to_symbol(symbol, from, bytes, offset, kind, caller, in(stream)); };
    return in_order(stream, work, caller);
}
cudaError_t __warptree_from_symbol_async(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind,
                                         cudaStream_t stream) {
    const void* const caller = WARPTREE_CALLER;
    const auto work = [=] { return from_symbol(to, symbol, bytes, offset, kind, caller, in(stream)); };
    return in_order(stream, work, caller);
}
cudaError_t __warptree_symbol_address(void** to, const void* symbol) {
    std::uint64_t address = 0;
    const cudaError_t error = symbol_at(symbol, 0, address, WARPTREE_CALLER);
    if (error == cudaSuccess) *to = reinterpret_cast<void*>(address);
    return error;
}
cudaError_t __warptree_symbol_size(std::size_t* to, const void* symbol) {
    const std::uint64_t variable = variable_number(symbol);
    if (variable == ~0ULL) return refused(cudaErrorInvalidSymbol, WARPTREE_CALLER);
    const Reply reply = ask(Call::symbol_address, {variable}, WARPTREE_CALLER);
    *to = reply.word(1);
    return error_of(reply);
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total) {
    const Reply reply = ask(Call::memory_info, {}, WARPTREE_CALLER);
    *free_bytes = reply.word(0);
    *total = reply.word(1);
    return error_of(reply);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* to, const void* memory) {
    const Reply reply = ask(Call::pointer_facts, {bits(memory)}, WARPTREE_CALLER);
    to->type = static_cast<enum cudaMemoryType>(reply.word(0));
    to->device = static_cast<int>(reply.word(3));
    to->devicePointer = reinterpret_cast<void*>(reply.word(1));
    to->hostPointer = reinterpret_cast<void*>(reply.word(2));
    return error_of(reply);
}

// There is one pool: what belongs to it is allocated as all memory is.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* to, int) {
    *to = reinterpret_cast<cudaMemPool_t>(1);
    return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* to, int device) { return cudaDeviceGetDefaultMemPool(to, device); }
cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t) { return cudaSuccess; }
cudaError_t cudaMemPoolCreate(cudaMemPool_t* to, const cudaMemPoolProps*) { return cudaDeviceGetDefaultMemPool(to, 0); }
cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return cudaSuccess; }
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, std::size_t) { return cudaSuccess; }
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags* to, cudaMemPool_t, cudaMemLocation*) {
    *to = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, enum cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, enum cudaMemPoolAttr, void*) {
    return refused(cudaErrorNotSupported, WARPTREE_CALLER);
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) { return cudaSuccess; }

// Hints, which change no value.
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMemAdvise(const void*, std::size_t, enum cudaMemoryAdvise, int) { return cudaSuccess; }
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, std::size_t, unsigned) { return cudaSuccess; }
// A kernel could not read it: the memory is this process's own.
cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned flags) {
    if (memory == nullptr || bytes == 0) return refused(cudaErrorInvalidValue, WARPTREE_CALLER);
    if ((flags & cudaHostRegisterMapped) != 0) return refused(cudaErrorNotSupported, WARPTREE_CALLER);
    const std::lock_guard lock(registered().one);
    auto& all = registered().ranges;
    const auto after = all.lower_bound(bits(memory) + bytes); // the first that begins behind it
    if (after != all.begin() && std::prev(after)->first + std::prev(after)->second > bits(memory))
        return refused(cudaErrorHostMemoryAlreadyRegistered, WARPTREE_CALLER);
    all[bits(memory)] = bytes;
    return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* memory) {
    const std::lock_guard lock(registered().one);
    return registered().ranges.erase(bits(memory)) != 0 ? cudaSuccess
                                                        : refused(cudaErrorHostMemoryNotRegistered, WARPTREE_CALLER);
}
}
