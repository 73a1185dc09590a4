// Thrust's iterators that count, repeat, transform, zip, and forget.
#pragma once

#include "host/thrust_memory.h"

#include <tuple>
#include <utility>

namespace thrust {

// An iterator by its place: Self has at(i).
template <class Self, class _V> struct __warptree_indexed {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = _V;
    using difference_type = std::ptrdiff_t;
    using pointer = const _V*;
    using reference = _V;
    std::ptrdiff_t place = 0;
    const Self& self() const { return static_cast<const Self&>(*this); }
    _V operator*() const { return self().at(place); }
    _V operator[](std::ptrdiff_t i) const { return self().at(place + i); }
    Self& operator+=(std::ptrdiff_t n) { return place += n, static_cast<Self&>(*this); }
    Self& operator++() { return *this += 1; }
    Self operator++(int) {
        Self old = self();
        place += 1;
        return old;
    }
    friend Self operator+(Self i, std::ptrdiff_t n) { return i += n; }
    friend Self operator-(Self i, std::ptrdiff_t n) { return i += -n; }
    std::ptrdiff_t between(const Self&) const { return 0; } // the places 0 of two iterators
    friend std::ptrdiff_t operator-(const Self& a, const Self& b) { return a.place - b.place + a.between(b); }
    friend bool operator==(const Self& a, const Self& b) { return a - b == 0; }
    friend bool operator!=(const Self& a, const Self& b) { return a - b != 0; }
};

template <class _T> struct counting_iterator : __warptree_indexed<counting_iterator<_T>, _T> {
    _T begin{};
    counting_iterator() = default;
    explicit counting_iterator(_T begin) : begin(begin) { this->place = 0; }
    _T at(std::ptrdiff_t i) const { return static_cast<_T>(begin + static_cast<_T>(i)); }
    std::ptrdiff_t between(const counting_iterator& other) const {
        return static_cast<std::ptrdiff_t>(begin) - static_cast<std::ptrdiff_t>(other.begin);
    }
};
template <class _T> counting_iterator<_T> make_counting_iterator(_T begin) { return counting_iterator<_T>(begin); }

template <class _T> struct constant_iterator : __warptree_indexed<constant_iterator<_T>, _T> {
    _T value{};
    explicit constant_iterator(_T value, std::ptrdiff_t place = 0) : value(value) { this->place = place; }
    _T at(std::ptrdiff_t) const { return value; }
};
template <class _T> constant_iterator<_T> make_constant_iterator(_T value) { return constant_iterator<_T>(value); }

template <class _F, class _I>
struct transform_iterator
    : __warptree_indexed<transform_iterator<_F, _I>,
                         std::decay_t<decltype(std::declval<_F>()(
                             std::declval<typename std::iterator_traits<_I>::value_type>()))>> {
    _I from;
    _F f;
    transform_iterator(_I from, _F f) : from(from), f(f) {}
    std::ptrdiff_t between(const transform_iterator& other) const { return from - other.from; }
    auto at(std::ptrdiff_t i) const {
        return f(static_cast<typename std::iterator_traits<_I>::value_type>(*(from + i)));
    }
};
template <class _I, class _F> transform_iterator<_F, _I> make_transform_iterator(_I from, _F f) { return {from, f}; }
template <class _F, class _I> auto __warptree_fetch(transform_iterator<_F, _I> first, size_t count) {
    std::vector<typename transform_iterator<_F, _I>::value_type> all;
    for (auto&& x : __warptree_fetch(first.from + first.place, count)) all.push_back(first.f(x));
    return all;
}

template <class... _I>
struct __warptree_zip
    : __warptree_indexed<__warptree_zip<_I...>, std::tuple<std::decay_t<typename std::iterator_traits<_I>::value_type>...>> {
    std::tuple<_I...> from;
    explicit __warptree_zip(std::tuple<_I...> from) : from(from) {}
    std::ptrdiff_t between(const __warptree_zip& other) const { return std::get<0>(from) - std::get<0>(other.from); }
    auto at(std::ptrdiff_t i) const {
        return std::apply(
            [&](const _I&... part) {
                return std::tuple<std::decay_t<typename std::iterator_traits<_I>::value_type>...>(*(part + i)...);
            },
            from);
    }
};
template <class _T> struct __warptree_zip_of;
template <class... _I> struct __warptree_zip_of<std::tuple<_I...>> {
    using type = __warptree_zip<_I...>;
};
template <class _T> using zip_iterator = typename __warptree_zip_of<_T>::type;
template <class... _I> __warptree_zip<_I...> make_zip_iterator(std::tuple<_I...> parts) { return __warptree_zip<_I...>(parts); }
template <class... _I> __warptree_zip<_I...> make_zip_iterator(_I... parts) {
    return __warptree_zip<_I...>(std::tuple<_I...>(parts...));
}
template <class... _I> auto __warptree_fetch(__warptree_zip<_I...> first, size_t count) {
    const auto parts = std::apply(
        [&](const _I&... part) { return std::make_tuple(__warptree_fetch(part + first.place, count)...); }, first.from);
    std::vector<typename __warptree_zip<_I...>::value_type> all;
    for (size_t i = 0; i < count; ++i)
        all.push_back(std::apply(
            [&](const auto&... part) { return typename __warptree_zip<_I...>::value_type(part[i]...); }, parts));
    return all;
}
template <class _I> inline constexpr bool __warptree_only_read = false;
template <class _T> inline constexpr bool __warptree_only_read<counting_iterator<_T>> = true;
template <class _T> inline constexpr bool __warptree_only_read<constant_iterator<_T>> = true;
template <class _F, class _I> inline constexpr bool __warptree_only_read<transform_iterator<_F, _I>> = true;
template <size_t _N, class _V, class... _I> void __warptree_store_part(__warptree_zip<_I...> first, const std::vector<_V>& all) {
    using Part = std::tuple_element_t<_N, std::tuple<_I...>>;
    if constexpr (!__warptree_only_read<Part>) {
        std::vector<std::decay_t<typename std::iterator_traits<Part>::value_type>> part;
        for (const _V& x : all) part.push_back(std::get<_N>(x));
        __warptree_store(std::get<_N>(first.from) + first.place, part);
    }
}
template <class _V, class... _I> __warptree_zip<_I...> __warptree_store(__warptree_zip<_I...> first, const std::vector<_V>& all) {
    [&]<size_t... _N>(std::index_sequence<_N...>) {
        (__warptree_store_part<_N>(first, all), ...);
    }(std::index_sequence_for<_I...>());
    return first + static_cast<std::ptrdiff_t>(all.size());
}
template <class _T, class _V> counting_iterator<_T> __warptree_store(counting_iterator<_T> first, const std::vector<_V>& all) {
    return first + static_cast<std::ptrdiff_t>(all.size());
}

struct discard_iterator : __warptree_indexed<discard_iterator, int> {
    int at(std::ptrdiff_t) const { return 0; }
};
inline discard_iterator make_discard_iterator() { return {}; }
template <class _V> discard_iterator __warptree_store(discard_iterator first, const std::vector<_V>& all) {
    return first + static_cast<std::ptrdiff_t>(all.size());
}

// What for_each() gives: an element that may be changed, or a tuple of such.
template <class _F, class _V> void __warptree_visit(_F& f, _V& element) { f(element); }
template <class _F, class... _V> void __warptree_visit(_F& f, std::tuple<_V...>& element) {
    std::apply([&](_V&... part) { f(std::tuple<_V&...>(part...)); }, element);
}

} // namespace thrust
