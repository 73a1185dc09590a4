// Thrust's algorithms of ordered ranges, of ranges by key, and of partitions, computed by the host.
#pragma once

#include "host/thrust.h"

namespace thrust {

// One value, or each of a range, in an ordered range.
#define __WARPTREE_SEARCH(NAME, RESULT)                                                                                \
    template <class _I, class _T> __WARPTREE_CALL auto NAME(_I first, _I last, const _T& value) {                      \
        const auto all = __warptree_fetch(first, __warptree_count(first, last));                                       \
        const auto at = std::NAME(all.begin(), all.end(), static_cast<__warptree_value<_I>>(value));                   \
        return RESULT;                                                                                                 \
    }
__WARPTREE_SEARCH(lower_bound, first + (at - all.begin()))
__WARPTREE_SEARCH(upper_bound, first + (at - all.begin()))
__WARPTREE_SEARCH(binary_search, at)
#undef __WARPTREE_SEARCH
#define __WARPTREE_SEARCH(NAME, RESULT)                                                                                \
    template <class _I, class _J, class _O>                                                                            \
    __WARPTREE_CALL _O NAME(_I first, _I last, _J values, _J end, _O to) {                                             \
        const auto all = __warptree_fetch(first, __warptree_count(first, last));                                       \
        std::vector<__warptree_value<_O>> places;                                                                      \
        for (auto&& value : __warptree_fetch(values, __warptree_count(values, end))) {                                 \
            const auto at = std::NAME(all.begin(), all.end(), static_cast<__warptree_value<_I>>(value));               \
            places.push_back(static_cast<__warptree_value<_O>>(RESULT));                                               \
        }                                                                                                              \
        return __warptree_store(to, places);                                                                           \
    }
__WARPTREE_SEARCH(lower_bound, at - all.begin())
__WARPTREE_SEARCH(upper_bound, at - all.begin())
__WARPTREE_SEARCH(binary_search, at)
#undef __WARPTREE_SEARCH

#define __WARPTREE_OF_TWO_RANGES(NAME)                                                                                 \
    template <class _I, class _J, class _O, class _C>                                                                  \
    __WARPTREE_CALL _O NAME(_I first, _I last, _J other, _J end, _O to, _C before) {                                   \
        const auto a = __warptree_fetch(first, __warptree_count(first, last));                                         \
        const auto b = __warptree_fetch(other, __warptree_count(other, end));                                          \
        std::vector<__warptree_value<_I>> all;                                                                         \
        std::NAME(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all), before);                            \
        return __warptree_store(to, all);                                                                              \
    }                                                                                                                  \
    template <class _I, class _J, class _O> __WARPTREE_CALL _O NAME(_I first, _I last, _J other, _J end, _O to) {      \
        return thrust::NAME(first, last, other, end, to, std::less<>());                                               \
    }
__WARPTREE_OF_TWO_RANGES(merge)
__WARPTREE_OF_TWO_RANGES(set_union)
__WARPTREE_OF_TWO_RANGES(set_intersection)
__WARPTREE_OF_TWO_RANGES(set_difference)
__WARPTREE_OF_TWO_RANGES(set_symmetric_difference)
#undef __WARPTREE_OF_TWO_RANGES

template <class _I> __WARPTREE_CALL std::pair<_I, _I> minmax_element(_I first, _I last) {
    const auto all = __warptree_fetch(first, __warptree_count(first, last));
    const auto least = std::min_element(all.begin(), all.end());
    const auto most = std::max_element(all.begin(), all.end());
    return {first + (least - all.begin()), first + (most - all.begin())};
}

// Those that fulfil it first.
template <class _I, class _P> __WARPTREE_CALL _I stable_partition(_I first, _I last, _P p) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    const auto middle = std::stable_partition(all.begin(), all.end(), p) - all.begin();
    __warptree_store(first, all);
    return first + middle;
}
template <class _I, class _P> __WARPTREE_CALL _I partition(_I first, _I last, _P p) {
    return thrust::stable_partition(first, last, p);
}
template <class _I, class _O, class _P> __WARPTREE_CALL _O remove_copy_if(_I first, _I last, _O to, _P p) {
    std::vector<__warptree_value<_I>> kept;
    for (auto&& x : __warptree_fetch(first, __warptree_count(first, last)))
        if (!p(x)) kept.push_back(x);
    return __warptree_store(to, kept);
}
template <class _I, class _O> __WARPTREE_CALL _O unique_copy(_I first, _I last, _O to) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return __warptree_store(to, all);
}
template <class _K, class _V, class _A, class _B>
__WARPTREE_CALL std::pair<_A, _B> unique_by_key_copy(_K first, _K last, _V values, _A to_keys, _B to) {
    const size_t n = __warptree_count(first, last);
    const auto keys = __warptree_fetch(first, n);
    const auto all = __warptree_fetch(values, n);
    std::vector<__warptree_value<_K>> own;
    std::vector<__warptree_value<_V>> kept;
    for (size_t i = 0; i < n; ++i)
        if (i == 0 || !(keys[i] == keys[i - 1])) own.push_back(keys[i]), kept.push_back(all[i]);
    return {__warptree_store(to_keys, own), __warptree_store(to, kept)};
}

template <class _K, class _V> __WARPTREE_CALL std::pair<_K, _V> unique_by_key(_K first, _K last, _V values) {
    return thrust::unique_by_key_copy(first, last, values, first, values);
}

// A scan begins anew with each run of equal keys.
template <class _K, class _V, class _O> __WARPTREE_CALL _O inclusive_scan_by_key(_K first, _K last, _V values, _O to) {
    const size_t n = __warptree_count(first, last);
    const auto keys = __warptree_fetch(first, n);
    auto all = __warptree_fetch(values, n);
    for (size_t i = 1; i < n; ++i)
        if (keys[i] == keys[i - 1]) all[i] = all[i - 1] + all[i];
    return __warptree_store(to, all);
}
template <class _K, class _V, class _O, class _T>
__WARPTREE_CALL _O exclusive_scan_by_key(_K first, _K last, _V values, _O to, _T start) {
    const size_t n = __warptree_count(first, last);
    const auto keys = __warptree_fetch(first, n);
    const auto all = __warptree_fetch(values, n);
    std::vector<_T> sums;
    for (size_t i = 0; i < n; ++i)
        sums.push_back(i == 0 || !(keys[i] == keys[i - 1]) ? start : static_cast<_T>(sums[i - 1] + all[i - 1]));
    return __warptree_store(to, sums);
}
template <class _K, class _V, class _O> __WARPTREE_CALL _O exclusive_scan_by_key(_K first, _K last, _V values, _O to) {
    return thrust::exclusive_scan_by_key(first, last, values, to, __warptree_value<_V>(0));
}
template <class _I, class _O, class _U, class _T, class _F>
__WARPTREE_CALL _O transform_exclusive_scan(_I first, _I last, _O to, _U of, _T start, _F f) {
    std::vector<_T> all;
    for (auto&& x : __warptree_fetch(first, __warptree_count(first, last))) {
        all.push_back(start);
        start = f(start, of(x));
    }
    return __warptree_store(to, all);
}

#define __WARPTREE_WITH_POLICY(NAME)                                                                                   \
    template <class... _A> __WARPTREE_CALL auto NAME(const __warptree_policy&, _A&&... a) {                            \
        return thrust::NAME(std::forward<_A>(a)...);                                                                   \
    }
__WARPTREE_WITH_POLICY(lower_bound)
__WARPTREE_WITH_POLICY(upper_bound)
__WARPTREE_WITH_POLICY(binary_search)
__WARPTREE_WITH_POLICY(merge)
__WARPTREE_WITH_POLICY(set_union)
__WARPTREE_WITH_POLICY(set_intersection)
__WARPTREE_WITH_POLICY(set_difference)
__WARPTREE_WITH_POLICY(minmax_element)
__WARPTREE_WITH_POLICY(partition)
__WARPTREE_WITH_POLICY(stable_partition)
__WARPTREE_WITH_POLICY(remove_copy_if)
__WARPTREE_WITH_POLICY(unique_copy)
__WARPTREE_WITH_POLICY(unique_by_key)
__WARPTREE_WITH_POLICY(unique_by_key_copy)
__WARPTREE_WITH_POLICY(inclusive_scan_by_key)
__WARPTREE_WITH_POLICY(exclusive_scan_by_key)
__WARPTREE_WITH_POLICY(transform_exclusive_scan)
#undef __WARPTREE_WITH_POLICY

struct system_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

} // namespace thrust
