// The templates of the runtime API, for host code: each hands what it was given to a function of warptree-host. They leave
// no frame, so that a call's place is the program's line.
#pragma once

#include "warptree/host.h"

#define __WARPTREE_CALL __attribute__((host, always_inline, nodebug)) inline

// An element's size in bits 8 and up, and in bits 0 to 7 what its scalars are: 1 signed, 2 unsigned, 3 floating; 0:
// unknown.
template <class T> struct __warptree_element {
    static constexpr unsigned int value = (__is_floating_point(T) ? 3U : __is_integral(T) ? __is_signed(T) ? 1U : 2U : 0U) |
                                          static_cast<unsigned int>(sizeof(T)) << 8;
};
template <> struct __warptree_element<void> {
    static constexpr unsigned int value = 0;
};

extern "C" {
cudaError_t __warptree_malloc(void** to, size_t bytes, unsigned int element);
cudaError_t __warptree_malloc_async(void** to, size_t bytes, unsigned int element);
cudaError_t __warptree_malloc_managed(void** to, size_t bytes, unsigned int element, unsigned int flags);
cudaError_t __warptree_malloc_host(void** to, size_t bytes, unsigned int element, unsigned int flags);
cudaError_t __warptree_malloc_pitch(void** to, size_t* pitch, size_t width, size_t height, unsigned int element);
cudaError_t __warptree_host_device_pointer(void** to, void* host);
cudaError_t __warptree_to_symbol(const void* symbol, const void* from, size_t bytes, size_t offset, int kind);
cudaError_t __warptree_from_symbol(void* to, const void* symbol, size_t bytes, size_t offset, int kind);
cudaError_t __warptree_to_symbol_async(const void* symbol, const void* from, size_t bytes, size_t offset, int kind,
                                       cudaStream_t stream);
cudaError_t __warptree_from_symbol_async(void* to, const void* symbol, size_t bytes, size_t offset, int kind,
                                         cudaStream_t stream);
cudaError_t __warptree_symbol_address(void** to, const void* symbol);
cudaError_t __warptree_symbol_size(size_t* to, const void* symbol);
cudaError_t __warptree_function_attribute(const void* function, int attribute, int value);
cudaError_t __warptree_function_attributes(cudaFuncAttributes* to, const void* function);
cudaError_t __warptree_occupancy(int* blocks, const void* function, int threads, size_t shared);
cudaError_t __warptree_best_block(int* least_grid, int* block, const void* function, size_t shared, int limit);
cudaError_t __warptree_launch_cooperative(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                                          cudaStream_t stream);
cudaError_t __warptree_launch_with(const void* function, const cudaLaunchConfig_t* config, void** arguments);
cudaError_t __warptree_copy(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind, size_t to_room,
                            size_t from_room);
cudaError_t __warptree_copy_async(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream,
                                  size_t to_room, size_t from_room);

// With the bytes of the objects that the pointers point to, as far as the compiler knows them: ~0, it does not. Their addresses
// are those of warptree-host's functions of these names.
extern __WARPTREE_CALL __attribute__((gnu_inline)) cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes,
                                                                          enum cudaMemcpyKind kind) {
    return __warptree_copy(to, from, bytes, kind, __builtin_object_size(to, 0), __builtin_object_size(from, 0));
}
extern __WARPTREE_CALL __attribute__((gnu_inline)) cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes,
                                                                               enum cudaMemcpyKind kind,
                                                                               cudaStream_t stream) {
    return __warptree_copy_async(to, from, bytes, kind, stream, __builtin_object_size(to, 0),
                                 __builtin_object_size(from, 0));
}
}

template <class T> __WARPTREE_CALL const void* __warptree_function(T* function) {
    return reinterpret_cast<const void*>(function);
}
// A name that is overloaded for the host's and the device's use, or a pointer to it.
__WARPTREE_CALL const void* __warptree_function(const void* function) { return function; }

template <class T> __WARPTREE_CALL cudaError_t cudaMalloc(T** to, size_t bytes) {
    return __warptree_malloc(reinterpret_cast<void**>(to), bytes, __warptree_element<T>::value);
}
template <class T> __WARPTREE_CALL cudaError_t cudaMallocAsync(T** to, size_t bytes, cudaStream_t) {
    return __warptree_malloc_async(reinterpret_cast<void**>(to), bytes, __warptree_element<T>::value);
}
template <class T>
__WARPTREE_CALL cudaError_t cudaMallocFromPoolAsync(T** to, size_t bytes, cudaMemPool_t, cudaStream_t) {
    return __warptree_malloc_async(reinterpret_cast<void**>(to), bytes, __warptree_element<T>::value);
}
template <class T> __WARPTREE_CALL cudaError_t cudaMallocManaged(T** to, size_t bytes, unsigned int flags) {
    return __warptree_malloc_managed(reinterpret_cast<void**>(to), bytes, __warptree_element<T>::value, flags);
}
template <class T> __WARPTREE_CALL cudaError_t cudaMallocHost(T** to, size_t bytes, unsigned int flags) {
    return __warptree_malloc_host(reinterpret_cast<void**>(to), bytes, __warptree_element<T>::value, flags);
}
template <class T> __WARPTREE_CALL cudaError_t cudaHostAlloc(T** to, size_t bytes, unsigned int flags) {
    return __warptree_malloc_host(reinterpret_cast<void**>(to), bytes, __warptree_element<T>::value, flags);
}
template <class T> __WARPTREE_CALL cudaError_t cudaHostGetDevicePointer(T** to, void* host, unsigned int) {
    return __warptree_host_device_pointer(reinterpret_cast<void**>(to), host);
}
template <class T> __WARPTREE_CALL cudaError_t cudaMallocPitch(T** to, size_t* pitch, size_t width, size_t height) {
    return __warptree_malloc_pitch(reinterpret_cast<void**>(to), pitch, width, height, __warptree_element<T>::value);
}
template <class T>
__WARPTREE_CALL cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset,
                                               enum cudaMemcpyKind kind) {
    return __warptree_to_symbol(reinterpret_cast<const void*>(&symbol), from, bytes, offset, kind);
}
template <class T>
__WARPTREE_CALL cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset,
                                                    enum cudaMemcpyKind kind, cudaStream_t stream) {
    return __warptree_to_symbol_async(reinterpret_cast<const void*>(&symbol), from, bytes, offset, kind, stream);
}
template <class T>
__WARPTREE_CALL cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset,
                                                 enum cudaMemcpyKind kind) {
    return __warptree_from_symbol(to, reinterpret_cast<const void*>(&symbol), bytes, offset, kind);
}
template <class T>
__WARPTREE_CALL cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset,
                                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
    return __warptree_from_symbol_async(to, reinterpret_cast<const void*>(&symbol), bytes, offset, kind, stream);
}
template <class T> __WARPTREE_CALL cudaError_t cudaGetSymbolAddress(void** to, const T& symbol) {
    return __warptree_symbol_address(to, reinterpret_cast<const void*>(&symbol));
}
template <class T> __WARPTREE_CALL cudaError_t cudaGetSymbolSize(size_t* to, const T& symbol) {
    return __warptree_symbol_size(to, reinterpret_cast<const void*>(&symbol));
}
template <class F> __WARPTREE_CALL cudaError_t cudaFuncSetCacheConfig(F, enum cudaFuncCache) { return cudaSuccess; }
template <class F> __WARPTREE_CALL cudaError_t cudaFuncSetSharedMemConfig(F, enum cudaSharedMemConfig) {
    return cudaSuccess;
}
template <class F>
__WARPTREE_CALL cudaError_t cudaFuncSetAttribute(F function, enum cudaFuncAttribute attribute, int value) {
    return __warptree_function_attribute(__warptree_function(function), attribute, value);
}
template <class F> __WARPTREE_CALL cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* to, F function) {
    return __warptree_function_attributes(to, __warptree_function(function));
}
template <class F>
__WARPTREE_CALL cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F function, int threads,
                                                                          size_t shared) {
    return __warptree_occupancy(blocks, __warptree_function(function), threads, shared);
}
template <class F>
__WARPTREE_CALL cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, F function, int threads,
                                                                                   size_t shared, unsigned int) {
    return __warptree_occupancy(blocks, __warptree_function(function), threads, shared);
}
template <class F>
__WARPTREE_CALL cudaError_t cudaOccupancyMaxPotentialBlockSize(int* least_grid, int* block, F function, size_t shared,
                                                               int limit) {
    return __warptree_best_block(least_grid, block, __warptree_function(function), shared, limit);
}
template <class F>
__WARPTREE_CALL cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* least_grid, int* block, F function,
                                                                        size_t shared, int limit, unsigned int) {
    return __warptree_best_block(least_grid, block, __warptree_function(function), shared, limit);
}
template <class S, class F>
__WARPTREE_CALL cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* least_grid, int* block, F function,
                                                                           S shared, int limit) {
    // The largest block of those with the most resident threads.
    cudaError_t error = cudaSuccess;
    int most = 0;
    for (int threads = limit > 0 && limit < 1024 ? limit / 32 * 32 : 1024; threads >= 32; threads -= 32) {
        int blocks = 0, grid = 0, same = 0;
        error = __warptree_occupancy(&blocks, __warptree_function(function), threads, shared(threads));
        if (error != cudaSuccess || blocks * threads <= most) continue;
        __warptree_best_block(&grid, &same, __warptree_function(function), shared(threads), threads);
        most = blocks * threads;
        *block = threads;
        *least_grid = grid;
    }
    return error;
}
template <class F>
__WARPTREE_CALL cudaError_t cudaLaunchKernel(F function, dim3 grid, dim3 block, void** arguments, size_t shared,
                                             cudaStream_t stream) {
    return cudaLaunchKernel(__warptree_function(function), grid, block, arguments, shared, stream);
}
template <class F>
__WARPTREE_CALL cudaError_t cudaLaunchCooperativeKernel(F function, dim3 grid, dim3 block, void** arguments,
                                                        size_t shared, cudaStream_t stream) {
    return __warptree_launch_cooperative(__warptree_function(function), grid, block, arguments, shared, stream);
}
template <class... P, class... A>
__WARPTREE_CALL cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...), A&&... given) {
    return [&](P... values) {
        void* arguments[sizeof...(P) + 1] = {static_cast<void*>(&values)...};
        return __warptree_launch_with(reinterpret_cast<const void*>(kernel), config, arguments);
    }(static_cast<A&&>(given)...);
}
template <class... T> __WARPTREE_CALL cudaError_t cudaGraphInstantiate(cudaGraphExec_t* to, cudaGraph_t graph, T...) {
    return __warptree_graph_instantiate(to, graph);
}
template <class... T>
__WARPTREE_CALL cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* to, cudaGraph_t graph, T...) {
    return __warptree_graph_instantiate(to, graph);
}

// C's way to call it, which some programs take.
__WARPTREE_CALL cudaError_t cudaMallocHost(void** to, size_t bytes) {
    return __warptree_malloc_host(to, bytes, 0, 0);
}

extern "C" unsigned int __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*);
