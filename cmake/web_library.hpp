// What the standard library of an old emscripten lacks, read before every file that is compiled for browsers.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <version>

#if defined(__EMSCRIPTEN_PTHREADS__) && __clang_major__ < 16
// What the compiler writes for a handler takes the state of an exception, which the library keeps a thread, for one that all
// threads share, unless it is declared before.
struct ExceptionState {
    int handler;
    void* handlers;
    int chosen;
};
extern "C" __thread ExceptionState __wasm_lpad_context; // NOLINT(bugprone-reserved-identifier): the library's name
static __attribute__((used)) void* state_of_exceptions() { return &__wasm_lpad_context; }
#endif

// NOLINTBEGIN(cert-dcl58-cpp): it stands in for the library itself
namespace std {

#if !defined(__cpp_lib_bit_cast)
template <class To, class From> constexpr To bit_cast(const From& from) noexcept {
    return __builtin_bit_cast(To, from);
}
#endif

#if !defined(__cpp_lib_int_pow2)
template <class T> constexpr int bit_width(T x) noexcept { return numeric_limits<T>::digits - countl_zero(x); }
template <class T> constexpr T bit_floor(T x) noexcept { return x == 0 ? T{0} : T{1} << (bit_width(x) - 1); }
template <class T> constexpr T bit_ceil(T x) noexcept {
    return x <= 1 ? T{1} : T{1} << bit_width(static_cast<T>(x - 1));
}
template <class T> constexpr bool has_single_bit(T x) noexcept { return x != 0 && (x & (x - 1)) == 0; }
#endif

#if !defined(__cpp_lib_to_chars)
// The longest beginning of the text that is a decimal number, "inf" or "nan"; as from_chars, without a leading '+'.
template <class T, class = enable_if_t<is_floating_point_v<T>>>
from_chars_result from_chars(const char* first, const char* last, T& value) {
    const char* at = first;
    const auto digits = [&] {
        const char* const begin = at;
        while (at != last && *at >= '0' && *at <= '9') ++at;
        return at - begin;
    };
    const auto word = [&](const char* lower) {
        const char* end = at;
        for (; *lower != '\0'; ++lower, ++end)
            if (end == last || (*end | 0x20) != *lower) return false;
        at = end;
        return true;
    };
    if (at != last && *at == '-') ++at;
    if (!word("infinity") && !word("inf") && !word("nan")) {
        auto count = digits();
        if (at != last && *at == '.') {
            ++at;
            count += digits();
        }
        if (count == 0) return {first, errc::invalid_argument};
        if (const char* const mantissa = at; at != last && (*at | 0x20) == 'e') {
            ++at;
            if (at != last && (*at == '-' || *at == '+')) ++at;
            if (digits() == 0) at = mantissa;
        }
    }
    const string text(first, at);
    T read{};
    if constexpr (is_same_v<T, float>) {
        read = strtof(text.c_str(), nullptr);
    } else {
        read = static_cast<T>(strtod(text.c_str(), nullptr));
    }
    const bool named = text.find_first_of("nN") != string::npos;
    const bool zero = text.substr(0, text.find_first_of("eE")).find_first_of("123456789") == string::npos;
    if (!named && (read - read != 0 || (read == 0 && !zero))) return {at, errc::result_out_of_range};
    value = read;
    return {at, errc{}};
}

// The shortest text that reads back as the value; of the two notations the shorter, the plain one where they are as long.
template <class T, class = enable_if_t<is_floating_point_v<T>>>
to_chars_result to_chars(char* first, char* last, T value) {
    char text[400];
    int length = 0;
    if (value - value != 0) {
        length = snprintf(text, sizeof text, "%s", value != value ? "nan" : value < 0 ? "-inf" : "inf");
    } else {
        int precision = 0;
        for (; precision < numeric_limits<T>::max_digits10; ++precision) {
            length = snprintf(text, sizeof text, "%.*e", precision, static_cast<double>(value));
            T back{};
            from_chars(text, text + length, back);
            if (back == value) break;
        }
        const string scientific(text, static_cast<size_t>(length));
        const int exponent = atoi(scientific.c_str() + scientific.find('e') + 1);
        length = snprintf(text, sizeof text, "%.*f", max(0, precision - exponent), static_cast<double>(value));
        if (length > static_cast<int>(scientific.size()))
            length = snprintf(text, sizeof text, "%s", scientific.c_str());
    }
    if (length > last - first) return {last, errc::value_too_large};
    return {copy(text, text + length, first), errc{}};
}
#endif

#if !defined(__cpp_lib_atomic_ref)
template <class T> class atomic_ref {
  public:
    explicit atomic_ref(T& object) : object_(&object) {}
    T load(memory_order = memory_order_seq_cst) const { return __atomic_load_n(object_, __ATOMIC_SEQ_CST); }
    void store(T value, memory_order = memory_order_seq_cst) const {
        __atomic_store_n(object_, value, __ATOMIC_SEQ_CST);
    }
    T fetch_or(T value, memory_order = memory_order_seq_cst) const {
        return __atomic_fetch_or(object_, value, __ATOMIC_SEQ_CST);
    }

  private:
    T* object_;
};
#endif

#if !defined(__cpp_lib_ranges)
namespace ranges {
template <class R, class V> constexpr auto find(R&& r, const V& v) { return std::find(std::begin(r), std::end(r), v); }
template <class R, class V, class P> constexpr auto find(R&& r, const V& v, P projection) {
    return std::find_if(std::begin(r), std::end(r), [&](const auto& e) { return std::invoke(projection, e) == v; });
}
template <class R, class P> constexpr auto find_if(R&& r, P p) {
    return std::find_if(std::begin(r), std::end(r), std::move(p));
}
template <class R, class V> constexpr auto count(R&& r, const V& v) {
    return std::count(std::begin(r), std::end(r), v);
}
template <class R, class P> constexpr bool any_of(R&& r, P p) {
    return std::any_of(std::begin(r), std::end(r), std::move(p));
}
template <class R, class P> constexpr bool all_of(R&& r, P p) {
    return std::all_of(std::begin(r), std::end(r), std::move(p));
}
template <class R, class P> constexpr bool none_of(R&& r, P p) {
    return std::none_of(std::begin(r), std::end(r), std::move(p));
}
template <class R, class V> constexpr void fill(R&& r, const V& v) { std::fill(std::begin(r), std::end(r), v); }
template <class R, class V> constexpr void replace(R&& r, const V& from, const V& to) {
    std::replace(std::begin(r), std::end(r), from, to);
}
template <class R, class O, class F> constexpr void transform(R&& r, O out, F f) {
    std::transform(std::begin(r), std::end(r), std::move(out), std::move(f));
}
template <class R, class O> constexpr void copy(R&& r, O out) { std::copy(std::begin(r), std::end(r), std::move(out)); }
template <class R, class O> constexpr void move(R&& r, O out) { std::move(std::begin(r), std::end(r), std::move(out)); }
template <class R, class F> constexpr void for_each(R&& r, F f) {
    std::for_each(std::begin(r), std::end(r), std::move(f));
}
template <class R> constexpr auto max_element(R&& r) { return std::max_element(std::begin(r), std::end(r)); }
template <class A, class B> constexpr bool includes(A&& a, B&& b) {
    return std::includes(std::begin(a), std::end(a), std::begin(b), std::end(b));
}
template <class R> constexpr void reverse(R&& r) { std::reverse(std::begin(r), std::end(r)); }
template <class R> constexpr void sort(R&& r) { std::sort(std::begin(r), std::end(r)); }
template <class R, class C = std::less<>, class P> void stable_sort(R&& r, C, P projection) {
    static_assert(is_empty_v<C>);
    std::stable_sort(std::begin(r), std::end(r), [&](const auto& a, const auto& b) {
        return std::less<>{}(std::invoke(projection, a), std::invoke(projection, b));
    });
}
} // namespace ranges
#endif

} // namespace std
// NOLINTEND(cert-dcl58-cpp)

// Of glibc alone; where there are neither signals nor exit handlers nobody misses them.
#if defined(__EMSCRIPTEN__)
inline const char* sigabbrev_np(int) { return nullptr; }
inline int on_exit(void (*)(int, void*), void*) { return -1; }
#endif
