// How libraries that the host computes reach arrays of either half.
#pragma once

#include <cstddef>
#include <vector>

// Between any two places; in the story it is the library's.
extern "C" cudaError_t __warptree_library_copy(void* to, const void* from, size_t bytes);

template <class _T> __WARPTREE_CALL bool __warptree_fetch(std::vector<_T>& to, const _T* from) {
    return to.empty() || __warptree_library_copy(to.data(), from, to.size() * sizeof(_T)) == cudaSuccess;
}
template <class _T> __WARPTREE_CALL bool __warptree_store(_T* to, const std::vector<_T>& from) {
    return from.empty() || __warptree_library_copy(to, from.data(), from.size() * sizeof(_T)) == cudaSuccess;
}
