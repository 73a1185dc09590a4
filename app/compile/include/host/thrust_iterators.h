// Thrust's iterators that count, repeat, transform, zip, and forget.
#pragma once

#include "host/thrust_memory.h"

#include <tuple>
#include <utility>

namespace thrust {

// An iterator by its place: Self has at(i).
template <class Self, class V> struct __warptree_indexed {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = V;
    using difference_type = std::ptrdiff_t;
    using pointer = const V*;
    using reference = V;
    std::ptrdiff_t place = 0;
    const Self& self() const { return static_cast<const Self&>(*this); }
    V operator*() const { return self().at(place); }
    V operator[](std::ptrdiff_t i) const { return self().at(place + i); }
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

template <class T> struct counting_iterator : __warptree_indexed<counting_iterator<T>, T> {
    T begin{};
    counting_iterator() = default;
    explicit counting_iterator(T begin) : begin(begin) { this->place = 0; }
    T at(std::ptrdiff_t i) const { return static_cast<T>(begin + static_cast<T>(i)); }
    std::ptrdiff_t between(const counting_iterator& other) const {
        return static_cast<std::ptrdiff_t>(begin) - static_cast<std::ptrdiff_t>(other.begin);
    }
};
template <class T> counting_iterator<T> make_counting_iterator(T begin) { return counting_iterator<T>(begin); }

template <class T> struct constant_iterator : __warptree_indexed<constant_iterator<T>, T> {
    T value{};
    explicit constant_iterator(T value, std::ptrdiff_t place = 0) : value(value) { this->place = place; }
    T at(std::ptrdiff_t) const { return value; }
};
template <class T> constant_iterator<T> make_constant_iterator(T value) { return constant_iterator<T>(value); }

template <class F, class I>
struct transform_iterator
    : __warptree_indexed<transform_iterator<F, I>,
                         std::decay_t<decltype(std::declval<F>()(
                             std::declval<typename std::iterator_traits<I>::value_type>()))>> {
    I from;
    F f;
    transform_iterator(I from, F f) : from(from), f(f) {}
    std::ptrdiff_t between(const transform_iterator& other) const { return from - other.from; }
    auto at(std::ptrdiff_t i) const {
        return f(static_cast<typename std::iterator_traits<I>::value_type>(*(from + i)));
    }
};
template <class I, class F> transform_iterator<F, I> make_transform_iterator(I from, F f) { return {from, f}; }
template <class F, class I> auto __warptree_fetch(transform_iterator<F, I> first, size_t count) {
    std::vector<typename transform_iterator<F, I>::value_type> all;
    for (auto&& x : __warptree_fetch(first.from + first.place, count)) all.push_back(first.f(x));
    return all;
}

template <class... I>
struct __warptree_zip
    : __warptree_indexed<__warptree_zip<I...>, std::tuple<std::decay_t<typename std::iterator_traits<I>::value_type>...>> {
    std::tuple<I...> from;
    explicit __warptree_zip(std::tuple<I...> from) : from(from) {}
    std::ptrdiff_t between(const __warptree_zip& other) const { return std::get<0>(from) - std::get<0>(other.from); }
    auto at(std::ptrdiff_t i) const {
        return std::apply(
            [&](const I&... part) {
                return std::tuple<std::decay_t<typename std::iterator_traits<I>::value_type>...>(*(part + i)...);
            },
            from);
    }
};
template <class T> struct __warptree_zip_of;
template <class... I> struct __warptree_zip_of<std::tuple<I...>> {
    using type = __warptree_zip<I...>;
};
template <class T> using zip_iterator = typename __warptree_zip_of<T>::type;
template <class... I> __warptree_zip<I...> make_zip_iterator(std::tuple<I...> parts) { return __warptree_zip<I...>(parts); }
template <class... I> __warptree_zip<I...> make_zip_iterator(I... parts) {
    return __warptree_zip<I...>(std::tuple<I...>(parts...));
}
template <class... I> auto __warptree_fetch(__warptree_zip<I...> first, size_t count) {
    const auto parts = std::apply(
        [&](const I&... part) { return std::make_tuple(__warptree_fetch(part + first.place, count)...); }, first.from);
    std::vector<typename __warptree_zip<I...>::value_type> all;
    for (size_t i = 0; i < count; ++i)
        all.push_back(std::apply(
            [&](const auto&... part) { return typename __warptree_zip<I...>::value_type(part[i]...); }, parts));
    return all;
}
template <class I> inline constexpr bool __warptree_only_read = false;
template <class T> inline constexpr bool __warptree_only_read<counting_iterator<T>> = true;
template <class T> inline constexpr bool __warptree_only_read<constant_iterator<T>> = true;
template <class F, class I> inline constexpr bool __warptree_only_read<transform_iterator<F, I>> = true;
template <size_t N, class V, class... I> void __warptree_store_part(__warptree_zip<I...> first, const std::vector<V>& all) {
    using Part = std::tuple_element_t<N, std::tuple<I...>>;
    if constexpr (!__warptree_only_read<Part>) {
        std::vector<std::decay_t<typename std::iterator_traits<Part>::value_type>> part;
        for (const V& x : all) part.push_back(std::get<N>(x));
        __warptree_store(std::get<N>(first.from) + first.place, part);
    }
}
template <class V, class... I> __warptree_zip<I...> __warptree_store(__warptree_zip<I...> first, const std::vector<V>& all) {
    [&]<size_t... N>(std::index_sequence<N...>) {
        (__warptree_store_part<N>(first, all), ...);
    }(std::index_sequence_for<I...>());
    return first + static_cast<std::ptrdiff_t>(all.size());
}
template <class T, class V> counting_iterator<T> __warptree_store(counting_iterator<T> first, const std::vector<V>& all) {
    return first + static_cast<std::ptrdiff_t>(all.size());
}

struct discard_iterator : __warptree_indexed<discard_iterator, int> {
    int at(std::ptrdiff_t) const { return 0; }
};
inline discard_iterator make_discard_iterator() { return {}; }
template <class V> discard_iterator __warptree_store(discard_iterator first, const std::vector<V>& all) {
    return first + static_cast<std::ptrdiff_t>(all.size());
}

// What for_each() gives: an element that may be changed, or a tuple of such.
template <class F, class V> void __warptree_visit(F& f, V& element) { f(element); }
template <class F, class... V> void __warptree_visit(F& f, std::tuple<V...>& element) {
    std::apply([&](V&... part) { f(std::tuple<V&...>(part...)); }, element);
}

} // namespace thrust
