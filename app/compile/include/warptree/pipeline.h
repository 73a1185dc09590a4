// Copies from global to shared memory that the thread does not wait for, and the groups in which it waits for them.
// The size is 4, 8 or 16, as the instruction has it.
#pragma once

#include "warptree/memory.h"

// The last `zfill` of `size` bytes are zeroed instead of copied.
#define __WARPTREE_COPY(bytes, cache)                                                                                  \
    __WARPTREE_DEVICE void __pipeline_memcpy_async(void* shared, const void* global, size_t size)                      \
        __attribute__((enable_if(size == bytes, ""))) {                                                                \
        __nvvm_cp_async_##cache##_shared_global_##bytes((__WARPTREE_SHARED_SPACE void*)shared,                         \
                                                        (const __WARPTREE_GLOBAL_SPACE void*)global);                  \
    }                                                                                                                  \
    __WARPTREE_DEVICE void __pipeline_memcpy_async(void* shared, const void* global, size_t size, size_t zfill)        \
        __attribute__((enable_if(size == bytes, ""))) {                                                                \
        __nvvm_cp_async_##cache##_shared_global_##bytes((__WARPTREE_SHARED_SPACE void*)shared,                         \
                                                        (const __WARPTREE_GLOBAL_SPACE void*)global,                   \
                                                        static_cast<int>(bytes - zfill));                              \
    }
__WARPTREE_COPY(4, ca)
__WARPTREE_COPY(8, ca)
__WARPTREE_COPY(16, cg)
#undef __WARPTREE_COPY
// For a size known only at run time or in a template instance.
__WARPTREE_DEVICE void __pipeline_memcpy_async(void* shared, const void* global, size_t size, size_t zfill) {
    if (size == 4) __pipeline_memcpy_async(shared, global, 4, zfill);
    else if (size == 8) __pipeline_memcpy_async(shared, global, 8, zfill);
    else __pipeline_memcpy_async(shared, global, 16, zfill);
}
__WARPTREE_DEVICE void __pipeline_memcpy_async(void* shared, const void* global, size_t size) {
    if (size == 4) __pipeline_memcpy_async(shared, global, 4);
    else if (size == 8) __pipeline_memcpy_async(shared, global, 8);
    else __pipeline_memcpy_async(shared, global, 16);
}

__WARPTREE_DEVICE void __pipeline_commit() { __nvvm_cp_async_commit_group(); }

// Waits until at most the newest `prior` groups are still pending.
#define __WARPTREE_WAIT(number)                                                                                        \
    __WARPTREE_DEVICE void __pipeline_wait_prior(size_t prior) __attribute__((enable_if(prior == number, ""))) {       \
        __nvvm_cp_async_wait_group(number);                                                                            \
    }
__WARPTREE_WAIT(0)
__WARPTREE_WAIT(1)
__WARPTREE_WAIT(2)
__WARPTREE_WAIT(3)
__WARPTREE_WAIT(4)
__WARPTREE_WAIT(5)
__WARPTREE_WAIT(6)
__WARPTREE_WAIT(7)
__WARPTREE_WAIT(8)
#undef __WARPTREE_WAIT
// For a number known only at run time: waits for all groups, which is always enough.
__WARPTREE_DEVICE void __pipeline_wait_prior(size_t) { __nvvm_cp_async_wait_group(0); }
