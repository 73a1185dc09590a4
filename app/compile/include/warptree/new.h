// operator new and delete of device code take memory of the device's heap. Read after the precompiled prelude: from there,
// Clang would not declare those of the host beside them.
#pragma once

__host__ __device__ __attribute__((always_inline, nodebug)) void* operator new(size_t, void* place) noexcept {
    return place;
}
__host__ __device__ __attribute__((always_inline, nodebug)) void* operator new[](size_t, void* place) noexcept {
    return place;
}
__device__ __attribute__((always_inline, nodebug)) void* operator new(size_t size) { return malloc(size); }
__device__ __attribute__((always_inline, nodebug)) void* operator new[](size_t size) { return malloc(size); }
__device__ __attribute__((always_inline, nodebug)) void operator delete(void* pointer) noexcept { free(pointer); }
__device__ __attribute__((always_inline, nodebug)) void operator delete[](void* pointer) noexcept {
    free(pointer);
}
__device__ __attribute__((always_inline, nodebug)) void operator delete(void* pointer, size_t) noexcept {
    free(pointer);
}
__device__ __attribute__((always_inline, nodebug)) void operator delete[](void* pointer, size_t) noexcept {
    free(pointer);
}
