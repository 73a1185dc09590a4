// CUB's functions of the whole device, computed by the host. As CUB's, each first says how many bytes it wants: any.
#pragma once

#include "host/thrust.h"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace cub {

template <class _T> struct DoubleBuffer {
    _T* d_buffers[2] = {};
    int selector = 0;
    DoubleBuffer() = default;
    DoubleBuffer(_T* current, _T* alternate) : d_buffers{current, alternate} {}
    _T* Current() const { return d_buffers[selector]; }
    _T* Alternate() const { return d_buffers[selector ^ 1]; }
};

#define __WARPTREE_ASKED(temporary, bytes)                                                                             \
    if ((temporary) == nullptr) {                                                                                      \
        (bytes) = 256;                                                                                                 \
        return cudaSuccess;                                                                                            \
    }
template <class _I> __WARPTREE_CALL auto __warptree_all(_I in, std::ptrdiff_t count) {
    return thrust::__warptree_fetch(in, static_cast<size_t>(count));
}
template <class _O, class _V> __WARPTREE_CALL cudaError_t __warptree_put(_O to, const std::vector<_V>& all) {
    if constexpr (std::is_pointer_v<_O>) {
        const std::vector<std::remove_pointer_t<_O>> cast(all.begin(), all.end());
        thrust::__warptree_store(to, cast);
    } else
        thrust::__warptree_store(to, all);
    return cudaSuccess;
}

struct DeviceReduce {
    template <class _I, class _O, class _F, class _T>
    __WARPTREE_CALL static cudaError_t Reduce(void* temporary, size_t& bytes, _I in, _O out, std::ptrdiff_t count, _F f, _T start,
                                              cudaStream_t = nullptr) {
        __WARPTREE_ASKED(temporary, bytes)
        for (auto&& x : __warptree_all(in, count)) start = f(start, x);
        return __warptree_put(out, std::vector<_T>{start});
    }
    template <class _I, class _O>
    __WARPTREE_CALL static cudaError_t Sum(void* temporary, size_t& bytes, _I in, _O out, std::ptrdiff_t count, cudaStream_t = nullptr) {
        return Reduce(temporary, bytes, in, out, count, cub::Sum(), thrust::__warptree_value<_I>{});
    }
    template <class _I, class _O>
    __WARPTREE_CALL static cudaError_t Max(void* temporary, size_t& bytes, _I in, _O out, std::ptrdiff_t count, cudaStream_t = nullptr) {
        return Reduce(temporary, bytes, in, out, count, cub::Max(), std::numeric_limits<thrust::__warptree_value<_I>>::lowest());
    }
    template <class _I, class _O>
    __WARPTREE_CALL static cudaError_t Min(void* temporary, size_t& bytes, _I in, _O out, std::ptrdiff_t count, cudaStream_t = nullptr) {
        return Reduce(temporary, bytes, in, out, count, cub::Min(), std::numeric_limits<thrust::__warptree_value<_I>>::max());
    }
    template <class _I, class _O>
    __WARPTREE_CALL static cudaError_t ArgMax(void* temporary, size_t& bytes, _I in, _O out, std::ptrdiff_t count, cudaStream_t = nullptr) {
        return place(temporary, bytes, in, out, count, cub::ArgMax(), std::numeric_limits<thrust::__warptree_value<_I>>::lowest());
    }
    template <class _I, class _O>
    __WARPTREE_CALL static cudaError_t ArgMin(void* temporary, size_t& bytes, _I in, _O out, std::ptrdiff_t count, cudaStream_t = nullptr) {
        return place(temporary, bytes, in, out, count, cub::ArgMin(), std::numeric_limits<thrust::__warptree_value<_I>>::max());
    }

  private:
    template <class _I, class _O, class _F, class _T>
    __WARPTREE_CALL static cudaError_t place(void* temporary, size_t& bytes, _I in, _O out, std::ptrdiff_t count, _F f, _T of_none) {
        __WARPTREE_ASKED(temporary, bytes)
        const auto all = __warptree_all(in, count);
        KeyValuePair<int, _T> best = {all.empty() ? 1 : 0, all.empty() ? of_none : _T(all[0])};
        for (size_t i = 1; i < all.size(); ++i) best = f(best, KeyValuePair<int, _T>{static_cast<int>(i), all[i]});
        return __warptree_put(out, std::vector<KeyValuePair<int, _T>>{best});
    }
};

struct DeviceScan {
    template <class _I, class _O, class _F>
    __WARPTREE_CALL static cudaError_t InclusiveScan(void* temporary, size_t& bytes, _I in, _O out, _F f, std::ptrdiff_t count,
                                                     cudaStream_t = nullptr) {
        __WARPTREE_ASKED(temporary, bytes)
        auto all = __warptree_all(in, count);
        for (size_t i = 1; i < all.size(); ++i) all[i] = f(all[i - 1], all[i]);
        return __warptree_put(out, all);
    }
    template <class _I, class _O, class _F, class _T>
    __WARPTREE_CALL static cudaError_t ExclusiveScan(void* temporary, size_t& bytes, _I in, _O out, _F f, _T start,
                                                     std::ptrdiff_t count, cudaStream_t = nullptr) {
        __WARPTREE_ASKED(temporary, bytes)
        std::vector<_T> all;
        for (auto&& x : __warptree_all(in, count)) {
            all.push_back(start);
            start = f(start, static_cast<_T>(x));
        }
        return __warptree_put(out, all);
    }
    template <class _I, class _O>
    __WARPTREE_CALL static cudaError_t InclusiveSum(void* temporary, size_t& bytes, _I in, _O out, std::ptrdiff_t count,
                                                    cudaStream_t = nullptr) {
        return InclusiveScan(temporary, bytes, in, out, cub::Sum(), count);
    }
    template <class _I, class _O>
    __WARPTREE_CALL static cudaError_t ExclusiveSum(void* temporary, size_t& bytes, _I in, _O out, std::ptrdiff_t count,
                                                    cudaStream_t = nullptr) {
        return ExclusiveScan(temporary, bytes, in, out, cub::Sum(), thrust::__warptree_value<_I>{}, count);
    }
};

// By all bits: a part of them is refused, as CUB refuses what it cannot do.
struct DeviceRadixSort {
    template <class _K>
    __WARPTREE_CALL static cudaError_t SortKeys(void* temporary, size_t& bytes, const _K* in, _K* out, std::ptrdiff_t count,
                                                int begin = 0, int end = sizeof(_K) * 8, cudaStream_t = nullptr) {
        return keys(temporary, bytes, in, out, count, begin, end, std::less<>());
    }
    template <class _K>
    __WARPTREE_CALL static cudaError_t SortKeysDescending(void* temporary, size_t& bytes, const _K* in, _K* out, std::ptrdiff_t count,
                                                          int begin = 0, int end = sizeof(_K) * 8, cudaStream_t = nullptr) {
        return keys(temporary, bytes, in, out, count, begin, end, std::greater<>());
    }
    template <class _K>
    __WARPTREE_CALL static cudaError_t SortKeys(void* temporary, size_t& bytes, DoubleBuffer<_K>& both, std::ptrdiff_t count,
                                                int begin = 0, int end = sizeof(_K) * 8, cudaStream_t = nullptr) {
        const cudaError_t error = keys(temporary, bytes, both.Current(), both.Alternate(), count, begin, end, std::less<>());
        if (temporary != nullptr && error == cudaSuccess) both.selector ^= 1;
        return error;
    }
    template <class _K, class _V>
    __WARPTREE_CALL static cudaError_t SortPairs(void* temporary, size_t& bytes, const _K* keys_in, _K* keys_out, const _V* in, _V* out,
                                                 std::ptrdiff_t count, int begin = 0, int end = sizeof(_K) * 8,
                                                 cudaStream_t = nullptr) {
        return pairs(temporary, bytes, keys_in, keys_out, in, out, count, begin, end, std::less<>());
    }
    template <class _K, class _V>
    __WARPTREE_CALL static cudaError_t SortPairsDescending(void* temporary, size_t& bytes, const _K* keys_in, _K* keys_out, const _V* in,
                                                           _V* out, std::ptrdiff_t count, int begin = 0,
                                                           int end = sizeof(_K) * 8, cudaStream_t = nullptr) {
        return pairs(temporary, bytes, keys_in, keys_out, in, out, count, begin, end, std::greater<>());
    }

  private:
    template <class _K, class _C>
    __WARPTREE_CALL static cudaError_t keys(void* temporary, size_t& bytes, const _K* in, _K* out, std::ptrdiff_t count, int begin,
                                            int end, _C before) {
        if (begin != 0 || end != sizeof(_K) * 8) return cudaErrorNotSupported;
        __WARPTREE_ASKED(temporary, bytes)
        auto all = __warptree_all(in, count);
        std::stable_sort(all.begin(), all.end(), before);
        return __warptree_put(out, all);
    }
    template <class _K, class _V, class _C>
    __WARPTREE_CALL static cudaError_t pairs(void* temporary, size_t& bytes, const _K* keys_in, _K* keys_out, const _V* in, _V* out,
                                             std::ptrdiff_t count, int begin, int end, _C before) {
        if (begin != 0 || end != sizeof(_K) * 8) return cudaErrorNotSupported;
        __WARPTREE_ASKED(temporary, bytes)
        const auto keys = __warptree_all(keys_in, count);
        const auto values = __warptree_all(in, count);
        std::vector<size_t> order(keys.size());
        for (size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return before(keys[a], keys[b]); });
        auto sorted_keys = keys;
        auto sorted = values;
        for (size_t i = 0; i < order.size(); ++i) sorted_keys[i] = keys[order[i]], sorted[i] = values[order[i]];
        __warptree_put(keys_out, sorted_keys);
        return __warptree_put(out, sorted);
    }
};

struct DeviceSelect {
    template <class _I, class _O, class _N, class _P>
    __WARPTREE_CALL static cudaError_t If(void* temporary, size_t& bytes, _I in, _O out, _N selected, std::ptrdiff_t count, _P p,
                                          cudaStream_t = nullptr) {
        __WARPTREE_ASKED(temporary, bytes)
        std::vector<thrust::__warptree_value<_I>> kept;
        for (auto&& x : __warptree_all(in, count))
            if (p(x)) kept.push_back(x);
        __warptree_put(out, kept);
        return __warptree_put(selected, std::vector<int>{static_cast<int>(kept.size())});
    }
    template <class _I, class _F, class _O, class _N>
    __WARPTREE_CALL static cudaError_t Flagged(void* temporary, size_t& bytes, _I in, _F flags, _O out, _N selected,
                                               std::ptrdiff_t count, cudaStream_t = nullptr) {
        __WARPTREE_ASKED(temporary, bytes)
        const auto all = __warptree_all(in, count);
        const auto marks = __warptree_all(flags, count);
        std::vector<thrust::__warptree_value<_I>> kept;
        for (size_t i = 0; i < all.size(); ++i)
            if (marks[i]) kept.push_back(all[i]);
        __warptree_put(out, kept);
        return __warptree_put(selected, std::vector<int>{static_cast<int>(kept.size())});
    }
    template <class _I, class _O, class _N>
    __WARPTREE_CALL static cudaError_t Unique(void* temporary, size_t& bytes, _I in, _O out, _N selected, std::ptrdiff_t count,
                                              cudaStream_t = nullptr) {
        __WARPTREE_ASKED(temporary, bytes)
        auto all = __warptree_all(in, count);
        all.erase(std::unique(all.begin(), all.end()), all.end());
        __warptree_put(out, all);
        return __warptree_put(selected, std::vector<int>{static_cast<int>(all.size())});
    }
};
#undef __WARPTREE_ASKED

} // namespace cub
