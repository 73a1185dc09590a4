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
    template <class T> __warptree_policy operator()(T&&) const { return {}; }
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
template <class I> __WARPTREE_CALL size_t __warptree_count(I first, I last) {
    return static_cast<size_t>(last - first);
}
template <class I> using __warptree_value = std::decay_t<typename std::iterator_traits<I>::value_type>;

template <class I, class T, class F> __WARPTREE_CALL T reduce(I first, I last, T start, F f) {
    for (auto&& x : __warptree_fetch(first, __warptree_count(first, last))) start = f(start, x);
    return start;
}
template <class I, class T> __WARPTREE_CALL T reduce(I first, I last, T start) {
    return thrust::reduce(first, last, start, thrust::plus<>());
}
template <class I> __WARPTREE_CALL auto reduce(I first, I last) {
    return thrust::reduce(first, last, __warptree_value<I>(), thrust::plus<>());
}
template <class I, class U, class T, class F>
__WARPTREE_CALL T transform_reduce(I first, I last, U of, T start, F f) {
    for (auto&& x : __warptree_fetch(first, __warptree_count(first, last))) start = f(start, of(x));
    return start;
}
template <class I, class J, class T, class F, class G>
__WARPTREE_CALL T inner_product(I first, I last, J other, T start, F f, G g) {
    const size_t n = __warptree_count(first, last);
    const auto a = __warptree_fetch(first, n);
    const auto b = __warptree_fetch(other, n);
    for (size_t i = 0; i < n; ++i) start = f(start, g(a[i], b[i]));
    return start;
}
template <class I, class J, class T> __WARPTREE_CALL T inner_product(I first, I last, J other, T start) {
    return thrust::inner_product(first, last, other, start, thrust::plus<>(), thrust::multiplies<>());
}
template <class I, class P> __WARPTREE_CALL std::ptrdiff_t count_if(I first, I last, P p) {
    std::ptrdiff_t n = 0;
    for (auto&& x : __warptree_fetch(first, __warptree_count(first, last))) n += p(x) ? 1 : 0;
    return n;
}
template <class I, class T> __WARPTREE_CALL std::ptrdiff_t count(I first, I last, const T& value) {
    std::ptrdiff_t n = 0;
    for (auto&& x : __warptree_fetch(first, __warptree_count(first, last))) n += x == value ? 1 : 0;
    return n;
}
template <class I, class C> __WARPTREE_CALL I max_element(I first, I last, C less_than) {
    const auto all = __warptree_fetch(first, __warptree_count(first, last));
    return first + (std::max_element(all.begin(), all.end(), less_than) - all.begin());
}
template <class I> __WARPTREE_CALL I max_element(I first, I last) { return thrust::max_element(first, last, std::less<>()); }
template <class I, class C> __WARPTREE_CALL I min_element(I first, I last, C less_than) {
    const auto all = __warptree_fetch(first, __warptree_count(first, last));
    return first + (std::min_element(all.begin(), all.end(), less_than) - all.begin());
}
template <class I> __WARPTREE_CALL I min_element(I first, I last) { return thrust::min_element(first, last, std::less<>()); }
template <class I, class P> __WARPTREE_CALL I find_if(I first, I last, P p) {
    const auto all = __warptree_fetch(first, __warptree_count(first, last));
    return first + (std::find_if(all.begin(), all.end(), p) - all.begin());
}
template <class I, class T> __WARPTREE_CALL I find(I first, I last, const T& value) {
    const auto all = __warptree_fetch(first, __warptree_count(first, last));
    return first + (std::find(all.begin(), all.end(), value) - all.begin());
}
template <class I, class P> __WARPTREE_CALL bool all_of(I first, I last, P p) {
    return thrust::count_if(first, last, p) == last - first;
}
template <class I, class P> __WARPTREE_CALL bool any_of(I first, I last, P p) { return thrust::count_if(first, last, p) != 0; }
template <class I, class P> __WARPTREE_CALL bool none_of(I first, I last, P p) { return thrust::count_if(first, last, p) == 0; }
template <class I, class J> __WARPTREE_CALL bool equal(I first, I last, J other) {
    const size_t n = __warptree_count(first, last);
    const auto a = __warptree_fetch(first, n);
    const auto b = __warptree_fetch(other, n);
    return std::equal(a.begin(), a.end(), b.begin());
}
template <class I> __WARPTREE_CALL bool is_sorted(I first, I last) {
    const auto all = __warptree_fetch(first, __warptree_count(first, last));
    return std::is_sorted(all.begin(), all.end());
}

template <class I, class O> __WARPTREE_CALL O copy(I first, I last, O to) {
    return __warptree_store(to, __warptree_fetch(first, __warptree_count(first, last)));
}
template <class I, class N, class O> __WARPTREE_CALL O copy_n(I first, N n, O to) {
    return __warptree_store(to, __warptree_fetch(first, static_cast<size_t>(n)));
}
template <class I, class O, class P> __WARPTREE_CALL O copy_if(I first, I last, O to, P p) {
    std::vector<__warptree_value<I>> kept;
    for (auto&& x : __warptree_fetch(first, __warptree_count(first, last)))
        if (p(x)) kept.push_back(x);
    return __warptree_store(to, kept);
}
template <class I, class T> __WARPTREE_CALL void fill(I first, I last, const T& value) {
    __warptree_store(first, std::vector<__warptree_value<I>>(__warptree_count(first, last), value));
}
template <class I, class N, class T> __WARPTREE_CALL void fill_n(I first, N n, const T& value) {
    __warptree_store(first, std::vector<__warptree_value<I>>(static_cast<size_t>(n), value));
}
template <class I, class T, class S> __WARPTREE_CALL void sequence(I first, I last, T start, S step) {
    std::vector<__warptree_value<I>> all;
    const size_t n = __warptree_count(first, last);
    for (size_t i = 0; i < n; ++i) all.push_back(static_cast<__warptree_value<I>>(start + static_cast<T>(i) * step));
    __warptree_store(first, all);
}
template <class I, class T> __WARPTREE_CALL void sequence(I first, I last, T start) { thrust::sequence(first, last, start, T(1)); }
template <class I> __WARPTREE_CALL void sequence(I first, I last) {
    thrust::sequence(first, last, __warptree_value<I>(0), __warptree_value<I>(1));
}
template <class I, class F> __WARPTREE_CALL void generate(I first, I last, F f) {
    std::vector<__warptree_value<I>> all(__warptree_count(first, last));
    for (auto& x : all) x = f();
    __warptree_store(first, all);
}
template <class I, class O, class F> __WARPTREE_CALL O transform(I first, I last, O to, F f) {
    std::vector<std::decay_t<decltype(f(std::declval<__warptree_value<I>>()))>> all;
    for (auto&& x : __warptree_fetch(first, __warptree_count(first, last))) all.push_back(f(x));
    return __warptree_store(to, all);
}
template <class I, class J, class O, class F> __WARPTREE_CALL O transform(I first, I last, J other, O to, F f) {
    const size_t n = __warptree_count(first, last);
    const auto a = __warptree_fetch(first, n);
    const auto b = __warptree_fetch(other, n);
    std::vector<std::decay_t<decltype(f(std::declval<__warptree_value<I>>(), std::declval<__warptree_value<J>>()))>> all;
    for (size_t i = 0; i < n; ++i) all.push_back(f(a[i], b[i]));
    return __warptree_store(to, all);
}
template <class I, class F> __WARPTREE_CALL I for_each(I first, I last, F f) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    for (size_t i = 0; i < all.size(); ++i) __warptree_visit(f, all[i]);
    return __warptree_store(first, all);
}
template <class I, class N, class F> __WARPTREE_CALL I for_each_n(I first, N n, F f) {
    return thrust::for_each(first, first + n, f);
}
template <class I, class P, class T> __WARPTREE_CALL void replace_if(I first, I last, P p, const T& value) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    std::replace_if(all.begin(), all.end(), p, value);
    __warptree_store(first, all);
}
template <class I, class T> __WARPTREE_CALL void replace(I first, I last, const T& old, const T& value) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    std::replace(all.begin(), all.end(), old, value);
    __warptree_store(first, all);
}
template <class I, class P> __WARPTREE_CALL I remove_if(I first, I last, P p) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    all.erase(std::remove_if(all.begin(), all.end(), p), all.end());
    return __warptree_store(first, all);
}
template <class I, class T> __WARPTREE_CALL I remove(I first, I last, const T& value) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    all.erase(std::remove(all.begin(), all.end(), value), all.end());
    return __warptree_store(first, all);
}
template <class I> __WARPTREE_CALL I unique(I first, I last) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return __warptree_store(first, all);
}
template <class I> __WARPTREE_CALL void reverse(I first, I last) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    std::reverse(all.begin(), all.end());
    __warptree_store(first, all);
}
template <class M, class I, class O> __WARPTREE_CALL O gather(M map, M end, I from, O to) {
    std::vector<__warptree_value<I>> all;
    for (auto&& at : __warptree_fetch(map, __warptree_count(map, end))) all.push_back(from[at]);
    return __warptree_store(to, all);
}
template <class I, class M, class O> __WARPTREE_CALL void scatter(I first, I last, M map, O to) {
    const size_t n = __warptree_count(first, last);
    const auto all = __warptree_fetch(first, n);
    const auto at = __warptree_fetch(map, n);
    for (size_t i = 0; i < n; ++i) to[at[i]] = all[i];
}
template <class I, class O> __WARPTREE_CALL O adjacent_difference(I first, I last, O to) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    std::adjacent_difference(all.begin(), all.end(), all.begin());
    return __warptree_store(to, all);
}
template <class T> void swap(device_vector<T>& a, device_vector<T>& b) { a.swap(b); }

// Scans and sorts.
template <class I, class O, class F> __WARPTREE_CALL O inclusive_scan(I first, I last, O to, F f) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    for (size_t i = 1; i < all.size(); ++i) all[i] = f(all[i - 1], all[i]);
    return __warptree_store(to, all);
}
template <class I, class O> __WARPTREE_CALL O inclusive_scan(I first, I last, O to) {
    return thrust::inclusive_scan(first, last, to, thrust::plus<>());
}
template <class I, class O, class T, class F> __WARPTREE_CALL O exclusive_scan(I first, I last, O to, T start, F f) {
    std::vector<T> all;
    for (auto&& x : __warptree_fetch(first, __warptree_count(first, last))) {
        all.push_back(start);
        start = f(start, x);
    }
    return __warptree_store(to, all);
}
template <class I, class O, class T> __WARPTREE_CALL O exclusive_scan(I first, I last, O to, T start) {
    return thrust::exclusive_scan(first, last, to, start, thrust::plus<>());
}
template <class I, class O> __WARPTREE_CALL O exclusive_scan(I first, I last, O to) {
    return thrust::exclusive_scan(first, last, to, __warptree_value<I>(0), thrust::plus<>());
}
template <class I, class O, class U, class F> __WARPTREE_CALL O transform_inclusive_scan(I first, I last, O to, U of, F f) {
    std::vector<std::decay_t<decltype(of(std::declval<__warptree_value<I>>()))>> all;
    for (auto&& x : __warptree_fetch(first, __warptree_count(first, last)))
        all.push_back(all.empty() ? of(x) : f(all.back(), of(x)));
    return __warptree_store(to, all);
}
template <class I, class C> __WARPTREE_CALL void stable_sort(I first, I last, C before) {
    auto all = __warptree_fetch(first, __warptree_count(first, last));
    std::stable_sort(all.begin(), all.end(), before);
    __warptree_store(first, all);
}
template <class I> __WARPTREE_CALL void stable_sort(I first, I last) { thrust::stable_sort(first, last, std::less<>()); }
template <class I, class C> __WARPTREE_CALL void sort(I first, I last, C before) { thrust::stable_sort(first, last, before); }
template <class I> __WARPTREE_CALL void sort(I first, I last) { thrust::stable_sort(first, last, std::less<>()); }
template <class K, class V, class C> __WARPTREE_CALL void stable_sort_by_key(K first, K last, V values, C before) {
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
template <class K, class V> __WARPTREE_CALL void stable_sort_by_key(K first, K last, V values) {
    thrust::stable_sort_by_key(first, last, values, std::less<>());
}
template <class K, class V, class C> __WARPTREE_CALL void sort_by_key(K first, K last, V values, C before) {
    thrust::stable_sort_by_key(first, last, values, before);
}
template <class K, class V> __WARPTREE_CALL void sort_by_key(K first, K last, V values) {
    thrust::stable_sort_by_key(first, last, values, std::less<>());
}
template <class K, class V, class L, class W>
__WARPTREE_CALL std::pair<L, W> reduce_by_key(K first, K last, V values, L to_keys, W to) {
    const size_t n = __warptree_count(first, last);
    const auto keys = __warptree_fetch(first, n);
    const auto all = __warptree_fetch(values, n);
    std::vector<__warptree_value<K>> own;
    std::vector<__warptree_value<V>> sums;
    for (size_t i = 0; i < n; ++i) {
        if (i == 0 || !(keys[i] == keys[i - 1])) own.push_back(keys[i]), sums.push_back(all[i]);
        else sums.back() = sums.back() + all[i];
    }
    return {__warptree_store(to_keys, own), __warptree_store(to, sums)};
}

// The same with a policy, of which the host needs none.
#define __WARPTREE_WITH_POLICY(NAME)                                                                                   \
    template <class... A> __WARPTREE_CALL auto NAME(const __warptree_policy&, A&&... a) {                                \
        return thrust::NAME(std::forward<A>(a)...);                                                                    \
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
