// What one run frees is kept for the next: a run's arrays take tens of megabytes, and fresh pages cost more than what is
// written into them. For a program, once, at its start; where the C library has no such setting, nothing changes.
#pragma once

#include <cstdlib> // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace warptree {

inline void keep_freed_memory() {
#ifdef __GLIBC__
    constexpr int kMostOnHeap = 32 << 20, kMostKept = 512 << 20; // bytes; more than the first the library does not take
    mallopt(M_MMAP_THRESHOLD, kMostOnHeap);
    mallopt(M_TRIM_THRESHOLD, kMostKept);
#endif
}

} // namespace warptree
