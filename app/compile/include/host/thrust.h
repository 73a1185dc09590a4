// A part of Thrust, computed by the host: ranges are fetched from where they are, and results put back. Function objects must
// be callable by the host (__host__ __device__).
#pragma once

#include "host/thrust_memory.h"
#include "host/thrust_iterators.h"
#include "warptree/thrust_functional.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>

namespace thrust {

struct __warptree_policy {
    __warptree_policy on(cudaStream_t) const { return {}; }
    template <class _T> __warptree_policy operator()(_T&&) const { return {}; }
};
inline constexpr __warptree_policy device, host, seq;
namespace cuda {
inline constexpr __warptree_policy par, par_nosync;
}
using std::get, std::make_pair, std::make_tuple, std::pair, std::tie, std::tuple;
using default_random_engine = std::minstd_rand;
using minstd_rand = std::minstd_rand;
using std::normal_distribution, std::uniform_int_distribution, std::uniform_real_distribution;
namespace random {
using thrust::default_random_engine, thrust::uniform_int_distribution, thrust::uniform_real_distribution;
}
template <class _I> __WARPTREE_CALL size_t __warptree_count(_I first, _I last) {
    return static_cast<size_t>(last - first);
}
template <class _I> using __warptree_value = std::decay_t<typename std::iterator_traits<_I>::value_type>;

template <class _I, class _T, class _F> __WARPTREE_CALL _T reduce(_I first, _I last, _T start, _F f) {
    for (auto&& x : __warptree_fetch(first, __warptree_count(first, last))) start = f(start, x);
    return start;
}
template <class _I, class _T> __WARPTREE_CALL _T reduce(_I first, _I last, _T start) {
    return thrust::reduce(first, last, start, thrust::plus<>());
}
template <class _I> __WARPTREE_CALL auto reduce(_I first, _I last) {
    return thrust::reduce(first, last, __warptree_value<_I>(), thrust::plus<>());
}
template <class _I, class _U, class _T, class _F>
__WARPTREE_CALL _T transform_reduce(_I first, _I last, _U of, _T start, _F f) {
    for (auto&& x : __warptree_fetch(first, __warptree_count(first, last))) start = f(start, of(x));
    return start;
}
template <class _I, class _J, class _T, class _F, class _G>
__WARPTREE_CALL _T inner_product(_I first, _I last, _J other, _T start, _F f, _G g) {
    const size_t n = __warptree_count(first, last);
    const auto a = __warptree_fetch(first, n);
    const auto b = __warptree_fetch(other, n);
    for (size_t i = 0; i < n; ++i) start = f(start, g(a[i], b[i]));
    return start;
}
template <class _I, class _J, class _T> __WARPTREE_CALL _T inner_product(_I first, _I last, _J other, _T start) {
    return thrust::inner_product(first, last, other, start, thrust::plus<>(), thrust::multiplies<>());
}
template <class _I, class _P> __WARPTREE_CALL std::ptrdiff_t count_if(_I first, _I last, _P p) {
    std::ptrdiff_t n = 0;
    for (auto&& x : __warptree_fetch(first, __warptree_count(first, last))) n += p(x) ? 1 : 0;
    return n;
}
template <class _I, class _T> __WARPTREE_CALL std::ptrdiff_t count(_I first, _I last, const _T& value) {
    std::ptrdiff_t n = 0;
    for (auto&& x : __warptree_fetch(first, __warptree_count(first, last))) n += x == value ? 1 : 0;
    return n;
}
template <class _I, class _C> __WARPTREE_CALL _I max_element(_I first, _I last, _C less_than) {
    const auto all = __warptree_fetch(first, __warptree_count(first, last));
    return first + (std::max_element(all.begin(), all.end(), less_than) - all.begin());
}
template <class _I> __WARPTREE_CALL _I max_element(_I first, _I last) { return thrust::max_element(first, last, std::less<>()); }
template <class _I, class _C> __WARPTREE_CALL _I min_element(_I first, _I last, _C less_than) {
    const auto all = __warptree_fetch(first, __warptree_count(first, last));
    return first + (std::min_element(all.begin(), all.end(), less_than) - all.begin());
}
template <class _I> __WARPTREE_CALL _I min_element(_I first, _I last) { return thrust::min_element(first, last, std::less<>()); }
template <class _I, class _P> __WARPTREE_CALL _I find_if(_I first, _I last, _P p) {
    const auto all = __warptree_fetch(first, __warptree_count(first, last));
    return first + (std::find_if(all.begin(), all.end(), p) - all.begin());
}
template <class _I, class _T> __WARPTREE_CALL _I find(_I first, _I last, const _T& value) {
    const auto all = __warptree_fetch(first, __warptree_count(first, last));
    return first + (std::find(all.begin(), all.end(), value) - all.begin());
}
template <class _I, class _P> __WARPTREE_CALL bool all_of(_I first, _I last, _P p) {
    return thrust::count_if(first, last, p) == last - first;
}
template <class _I, class _P> __WARPTREE_CALL bool any_of(_I first, _I last, _P p) { return thrust::count_if(first, last, p) != 0; }
template <class _I, class _P> __WARPTREE_CALL bool none_of(_I first, _I last, _P p) { return thrust::count_if(first, last, p) == 0; }
template <class _I, class _J> __WARPTREE_CALL bool equal(_I first, _I last, _J other) {
    const size_t n = __warptree_count(first, last);
    const auto a = __warptree_fetch(first, n);
    const auto b = __warptree_fetch(other, n);
    return std::equal(a.begin(), a.end(), b.begin());
}
template <class _I> __WARPTREE_CALL bool is_sorted(_I first, _I last) {
    const auto all = __warptree_fetch(first, __warptree_count(first, last));
    return std::is_sorted(all.begin(), all.end());
}

template <class _I, class _O> __WARPTREE_CALL _O copy(_I first, _I last, _O to) {
    return __warptree_store(to, __warptree_fetch(first, __warptree_count(first, last)));
}
template <class _I, class _N, class _O> __WARPTREE_CALL _O copy_n(_I first, _N n, _O to) {
    return __warptree_store(to, __warptree_fetch(first, static_cast<size_t>(n)));
}
template <class _I, class _O, class _P> __WARPTREE_CALL _O copy_if(_I first, _I last, _O to, _P p) {
    std::vector<__warptree_value<_I>> kept;
    for (auto&& x : __warptree_fetch(first, __warptree_count(first, last)))
        if (p(x)) kept.push_back(x);
    return __warptree_store(to, kept);
}
template <class _I, class _T> __WARPTREE_CALL void fill(_I first, _I last, const _T& value) {
    __warptree_store(first, std::vector<__warptree_value<_I>>(__warptree_count(first, last), value));
}
template <class _I, class _N, class _T> __WARPTREE_CALL void fill_n(_I first, _N n, const _T& value) {
    __warptree_store(first, std::vector<__warptree_value<_I>>(static_cast<size_t>(n), value));
}
template <class _I, class _T, class _S> __WARPTREE_CALL void sequence(_I first, _I last, _T start, _S step) {
    std::vector<__warptree_value<_I>> all;
    const size_t n = __warptree_count(first, last);
    for (size_t i = 0; i < n; ++i) all.push_back(static_cast<__warptree_value<_I>>(start + static_cast<_T>(i) * step));
    __warptree_store(first, all);
}
template <class _I, class _T> __WARPTREE_CALL void sequence(_I first, _I last, _T start) { thrust::sequence(first, last, start, _T(1)); }
template <class _I> __WARPTREE_CALL void sequence(_I first, _I last) {
    thrust::sequence(first, last, __warptree_value<_I>(0), __warptree_value<_I>(1));
}
template <class _I, class _F> __WARPTREE_CALL void generate(_I first, _I last, _F f) {
    std::vector<__warptree_value<_I>> all(__warptree_count(first, last));
    for (auto& x : all) x = f();
    __warptree_store(first, all);
}
template <class _I, class _O, class _F> __WARPTREE_CALL _O transform(_I first, _I last, _O to, _F f) {
    std::vector<std::decay_t<decltype(f(std::declval<__warptree_value<_I>>()))>> all;
    for (auto&& x : __warptree_fetch(first, __warptree_count(first, last))) all.push_back(f(x));
    return __warptree_store(to, all);
}
template <class _I, class _J, class _O, class _F> __WARPTREE_CALL _O transform(_I first, _I last, _J other, _O to, _F f) {
    const size_t n = __warptree_count(first, last);
    const auto a = __warptree_fetch(first, n);
    const auto b = __warptree_fetch(other, n);
    std::vector<std::decay_t<decltype(f(std::declval<__warptree_value<_I>>(), std::declval<__warptree_value<_J>>()))>> all;
    for (size_t i = 0; i < n; ++i) all.push_back(f(a[i], b[i]));
    return __warptree_store(to, all);
}
template <class _I, class _F> __WARPTREE_CALL _I for_each(_I first, _I last, _F f) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    for (size_t i = 0; i < all.size(); ++i) __warptree_visit(f, all[i]);
    return __warptree_store(first, all);
}
template <class _I, class _N, class _F> __WARPTREE_CALL _I for_each_n(_I first, _N n, _F f) {
    return thrust::for_each(first, first + n, f);
}
template <class _I, class _P, class _T> __WARPTREE_CALL void replace_if(_I first, _I last, _P p, const _T& value) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    std::replace_if(all.begin(), all.end(), p, value);
    __warptree_store(first, all);
}
template <class _I, class _T> __WARPTREE_CALL void replace(_I first, _I last, const _T& old, const _T& value) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    std::replace(all.begin(), all.end(), old, value);
    __warptree_store(first, all);
}
template <class _I, class _P> __WARPTREE_CALL _I remove_if(_I first, _I last, _P p) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    all.erase(std::remove_if(all.begin(), all.end(), p), all.end());
    return __warptree_store(first, all);
}
template <class _I, class _T> __WARPTREE_CALL _I remove(_I first, _I last, const _T& value) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    all.erase(std::remove(all.begin(), all.end(), value), all.end());
    return __warptree_store(first, all);
}
template <class _I> __WARPTREE_CALL _I unique(_I first, _I last) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return __warptree_store(first, all);
}
template <class _I> __WARPTREE_CALL void reverse(_I first, _I last) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    std::reverse(all.begin(), all.end());
    __warptree_store(first, all);
}
template <class _M, class _I, class _O> __WARPTREE_CALL _O gather(_M map, _M end, _I from, _O to) {
    std::vector<__warptree_value<_I>> all;
    for (auto&& at : __warptree_fetch(map, __warptree_count(map, end))) all.push_back(from[at]);
    return __warptree_store(to, all);
}
template <class _I, class _M, class _O> __WARPTREE_CALL void scatter(_I first, _I last, _M map, _O to) {
    const size_t n = __warptree_count(first, last);
    const auto all = __warptree_fetch(first, n);
    const auto at = __warptree_fetch(map, n);
    for (size_t i = 0; i < n; ++i) to[at[i]] = all[i];
}
template <class _I, class _O> __WARPTREE_CALL _O adjacent_difference(_I first, _I last, _O to) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    std::adjacent_difference(all.begin(), all.end(), all.begin());
    return __warptree_store(to, all);
}
template <class _T> void swap(device_vector<_T>& a, device_vector<_T>& b) { a.swap(b); }

// Scans and sorts.
template <class _I, class _O, class _F> __WARPTREE_CALL _O inclusive_scan(_I first, _I last, _O to, _F f) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    for (size_t i = 1; i < all.size(); ++i) all[i] = f(all[i - 1], all[i]);
    return __warptree_store(to, all);
}
template <class _I, class _O> __WARPTREE_CALL _O inclusive_scan(_I first, _I last, _O to) {
    return thrust::inclusive_scan(first, last, to, thrust::plus<>());
}
template <class _I, class _O, class _T, class _F> __WARPTREE_CALL _O exclusive_scan(_I first, _I last, _O to, _T start, _F f) {
    std::vector<_T> all;
    for (auto&& x : __warptree_fetch(first, __warptree_count(first, last))) {
        all.push_back(start);
        start = f(start, x);
    }
    return __warptree_store(to, all);
}
template <class _I, class _O, class _T> __WARPTREE_CALL _O exclusive_scan(_I first, _I last, _O to, _T start) {
    return thrust::exclusive_scan(first, last, to, start, thrust::plus<>());
}
template <class _I, class _O> __WARPTREE_CALL _O exclusive_scan(_I first, _I last, _O to) {
    return thrust::exclusive_scan(first, last, to, __warptree_value<_I>(0), thrust::plus<>());
}
template <class _I, class _O, class _U, class _F> __WARPTREE_CALL _O transform_inclusive_scan(_I first, _I last, _O to, _U of, _F f) {
    std::vector<std::decay_t<decltype(of(std::declval<__warptree_value<_I>>()))>> all;
    for (auto&& x : __warptree_fetch(first, __warptree_count(first, last)))
        all.push_back(all.empty() ? of(x) : f(all.back(), of(x)));
    return __warptree_store(to, all);
}
template <class _I, class _C> __WARPTREE_CALL void stable_sort(_I first, _I last, _C before) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    std::stable_sort(all.begin(), all.end(), before);
    __warptree_store(first, all);
}
template <class _I> __WARPTREE_CALL void stable_sort(_I first, _I last) { thrust::stable_sort(first, last, std::less<>()); }
template <class _I, class _C> __WARPTREE_CALL void sort(_I first, _I last, _C before) { thrust::stable_sort(first, last, before); }
template <class _I> __WARPTREE_CALL void sort(_I first, _I last) { thrust::stable_sort(first, last, std::less<>()); }
template <class _K, class _V, class _C> __WARPTREE_CALL void stable_sort_by_key(_K first, _K last, _V values, _C before) {
    const size_t n = __warptree_count(first, last);
    auto keys = __warptree_fetch(first, n), old_keys = keys;
    auto all = __warptree_fetch(values, n), old = all;
    std::vector<size_t> order(n);
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return before(old_keys[a], old_keys[b]); });
    for (size_t i = 0; i < n; ++i) keys[i] = old_keys[order[i]], all[i] = old[order[i]];
    __warptree_store(first, keys);
    __warptree_store(values, all);
}
template <class _K, class _V> __WARPTREE_CALL void stable_sort_by_key(_K first, _K last, _V values) {
    thrust::stable_sort_by_key(first, last, values, std::less<>());
}
template <class _K, class _V, class _C> __WARPTREE_CALL void sort_by_key(_K first, _K last, _V values, _C before) {
    thrust::stable_sort_by_key(first, last, values, before);
}
template <class _K, class _V> __WARPTREE_CALL void sort_by_key(_K first, _K last, _V values) {
    thrust::stable_sort_by_key(first, last, values, std::less<>());
}
template <class _K, class _V, class _L, class _W>
__WARPTREE_CALL std::pair<_L, _W> reduce_by_key(_K first, _K last, _V values, _L to_keys, _W to) {
    const size_t n = __warptree_count(first, last);
    const auto keys = __warptree_fetch(first, n);
    const auto all = __warptree_fetch(values, n);
    std::vector<__warptree_value<_K>> own;
    std::vector<__warptree_value<_V>> sums;
    for (size_t i = 0; i < n; ++i) {
        if (i == 0 || !(keys[i] == keys[i - 1])) own.push_back(keys[i]), sums.push_back(all[i]);
        else sums.back() = sums.back() + all[i];
    }
    return {__warptree_store(to_keys, own), __warptree_store(to, sums)};
}

// The same with a policy, of which the host needs none.
#define __WARPTREE_WITH_POLICY(NAME)                                                                                   \
    template <class... _A> __WARPTREE_CALL auto NAME(const __warptree_policy&, _A&&... a) {                                \
        return thrust::NAME(std::forward<_A>(a)...);                                                                    \
    }
__WARPTREE_WITH_POLICY(reduce)
__WARPTREE_WITH_POLICY(transform_reduce)
__WARPTREE_WITH_POLICY(inner_product)
__WARPTREE_WITH_POLICY(count_if)
__WARPTREE_WITH_POLICY(count)
__WARPTREE_WITH_POLICY(max_element)
__WARPTREE_WITH_POLICY(min_element)
__WARPTREE_WITH_POLICY(find_if)
__WARPTREE_WITH_POLICY(find)
__WARPTREE_WITH_POLICY(equal)
__WARPTREE_WITH_POLICY(is_sorted)
__WARPTREE_WITH_POLICY(copy)
__WARPTREE_WITH_POLICY(copy_n)
__WARPTREE_WITH_POLICY(copy_if)
__WARPTREE_WITH_POLICY(fill)
__WARPTREE_WITH_POLICY(fill_n)
__WARPTREE_WITH_POLICY(sequence)
__WARPTREE_WITH_POLICY(generate)
__WARPTREE_WITH_POLICY(transform)
__WARPTREE_WITH_POLICY(for_each)
__WARPTREE_WITH_POLICY(for_each_n)
__WARPTREE_WITH_POLICY(replace_if)
__WARPTREE_WITH_POLICY(replace)
__WARPTREE_WITH_POLICY(remove_if)
__WARPTREE_WITH_POLICY(remove)
__WARPTREE_WITH_POLICY(unique)
__WARPTREE_WITH_POLICY(reverse)
__WARPTREE_WITH_POLICY(gather)
__WARPTREE_WITH_POLICY(scatter)
__WARPTREE_WITH_POLICY(adjacent_difference)
__WARPTREE_WITH_POLICY(inclusive_scan)
__WARPTREE_WITH_POLICY(exclusive_scan)
__WARPTREE_WITH_POLICY(transform_inclusive_scan)
__WARPTREE_WITH_POLICY(stable_sort)
__WARPTREE_WITH_POLICY(sort)
__WARPTREE_WITH_POLICY(stable_sort_by_key)
__WARPTREE_WITH_POLICY(sort_by_key)
__WARPTREE_WITH_POLICY(reduce_by_key)
#undef __WARPTREE_WITH_POLICY

} // namespace thrust
