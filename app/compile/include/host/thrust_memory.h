// Thrust's vectors and pointers: memory of the device that host code reads and writes element by element, or as a whole.
#pragma once

#include "host/library.h"

#include <iostream> // as Thrust's headers do, which programs rely on
#include <iterator>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <vector>

extern "C" cudaError_t __warptree_library_malloc(void** to, size_t bytes, unsigned int element);

namespace thrust {

template <class _T> __WARPTREE_CALL void __warptree_pass(_T* to, const _T* from, size_t count) {
    if (count != 0 && __warptree_library_copy(const_cast<std::remove_const_t<_T>*>(to), from, count * sizeof(_T)) != cudaSuccess)
        throw std::runtime_error("thrust: a copy failed");
}

template <class _T> class device_ptr;
template <class _T> class device_reference {
  public:
    using value_type = std::remove_const_t<_T>;
    explicit device_reference(_T* at) : at_(at) {}
    device_reference(const device_reference&) = default;
    device_ptr<_T> operator&() const { return device_ptr<_T>(at_); }
    __WARPTREE_CALL operator value_type() const {
        value_type value;
        __warptree_pass<value_type>(&value, at_, 1);
        return value;
    }
    __WARPTREE_CALL device_reference& operator=(const value_type& value) {
        __warptree_pass<value_type>(const_cast<value_type*>(at_), &value, 1);
        return *this;
    }
    __WARPTREE_CALL device_reference& operator=(const device_reference& other) {
        return *this = static_cast<value_type>(other);
    }
    __WARPTREE_CALL device_reference& operator+=(const value_type& v) { return *this = static_cast<value_type>(*this) + v; }
    __WARPTREE_CALL device_reference& operator-=(const value_type& v) { return *this = static_cast<value_type>(*this) - v; }
    __WARPTREE_CALL device_reference& operator*=(const value_type& v) { return *this = static_cast<value_type>(*this) * v; }
    __WARPTREE_CALL device_reference& operator/=(const value_type& v) { return *this = static_cast<value_type>(*this) / v; }
    __WARPTREE_CALL device_reference& operator++() { return *this += 1; }
    __WARPTREE_CALL device_reference& operator--() { return *this -= 1; }

  private:
    _T* at_;
};

template <class _T> class device_ptr {
  public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::remove_const_t<_T>;
    using difference_type = std::ptrdiff_t;
    using pointer = device_ptr;
    using reference = device_reference<_T>;
    device_ptr() = default;
    device_ptr(std::nullptr_t) {}
    explicit device_ptr(_T* at) : at_(at) {}
    template <class _U, class = std::enable_if_t<std::is_convertible_v<_U*, _T*>>>
    device_ptr(const device_ptr<_U>& other) : at_(other.get()) {}
    _T* get() const { return at_; }
    reference operator*() const { return reference(at_); }
    reference operator[](difference_type i) const { return reference(at_ + i); }
    device_ptr& operator+=(difference_type n) { return at_ += n, *this; }
    device_ptr& operator-=(difference_type n) { return at_ -= n, *this; }
    device_ptr& operator++() { return ++at_, *this; }
    device_ptr& operator--() { return --at_, *this; }
    device_ptr operator++(int) { return device_ptr(at_++); }
    device_ptr operator--(int) { return device_ptr(at_--); }
    friend device_ptr operator+(device_ptr p, difference_type n) { return p += n; }
    friend device_ptr operator+(difference_type n, device_ptr p) { return p += n; }
    friend device_ptr operator-(device_ptr p, difference_type n) { return p -= n; }
    friend difference_type operator-(device_ptr a, device_ptr b) { return a.at_ - b.at_; }
    friend bool operator==(device_ptr a, device_ptr b) { return a.at_ == b.at_; }
    friend bool operator!=(device_ptr a, device_ptr b) { return a.at_ != b.at_; }
    friend bool operator<(device_ptr a, device_ptr b) { return a.at_ < b.at_; }
    friend bool operator>(device_ptr a, device_ptr b) { return b < a; }
    friend bool operator<=(device_ptr a, device_ptr b) { return !(b < a); }
    friend bool operator>=(device_ptr a, device_ptr b) { return !(a < b); }
    explicit operator bool() const { return at_ != nullptr; }

  private:
    _T* at_ = nullptr;
};
template <class _T> device_ptr<_T> device_pointer_cast(_T* at) { return device_ptr<_T>(at); }
template <class _T> device_ptr<_T> device_pointer_cast(const device_ptr<_T>& at) { return at; }
template <class _T> _T* raw_pointer_cast(_T* at) { return at; }
template <class _T> _T* raw_pointer_cast(const device_ptr<_T>& at) { return at.get(); }
template <class _T> __WARPTREE_CALL device_ptr<_T> device_malloc(size_t count) {
    void* at = nullptr;
    if (__warptree_library_malloc(&at, count * sizeof(_T), __warptree_element<_T>::value) != cudaSuccess) throw std::bad_alloc();
    return device_ptr<_T>(static_cast<_T*>(at));
}
template <class _T> __WARPTREE_CALL void device_free(device_ptr<_T> at) { cudaFree(at.get()); }

// The elements of any range of iterators, as host memory, and back.
template <class _I> auto __warptree_fetch(_I first, size_t count) {
    std::vector<std::decay_t<typename std::iterator_traits<_I>::value_type>> all;
    all.reserve(count);
    for (size_t i = 0; i < count; ++i, ++first) all.push_back(*first);
    return all;
}
template <class _T> __WARPTREE_CALL auto __warptree_fetch(_T* first, size_t count) {
    using _V = std::remove_const_t<_T>;
    if constexpr (std::is_same_v<_V, bool>) {
        std::vector<unsigned char> bytes(count);
        if (count != 0) __warptree_library_copy(bytes.data(), first, count);
        return std::vector<bool>(bytes.begin(), bytes.end());
    } else {
        std::vector<_V> all(count);
        if (count != 0) __warptree_pass<_V>(all.data(), first, count);
        return all;
    }
}
template <class _T> __WARPTREE_CALL auto __warptree_fetch(device_ptr<_T> first, size_t count) {
    return __warptree_fetch(first.get(), count);
}
template <class _I, class _V> _I __warptree_store(_I first, const std::vector<_V>& all) {
    for (size_t i = 0; i < all.size(); ++i, ++first) *first = all[i];
    return first;
}
template <class _T, class _V> __WARPTREE_CALL _T* __warptree_store(_T* first, const std::vector<_V>& all) {
    if constexpr (std::is_same_v<_T, _V> && !std::is_same_v<_V, bool>) {
        __warptree_pass<_T>(first, all.data(), all.size());
    } else {
        using _B = std::conditional_t<std::is_same_v<_T, bool>, unsigned char, _T>;
        std::vector<_B> same(all.begin(), all.end());
        if (!same.empty()) __warptree_library_copy(first, same.data(), same.size() * sizeof(_B));
    }
    return first + all.size();
}
template <class _T, class _V> __WARPTREE_CALL device_ptr<_T> __warptree_store(device_ptr<_T> first, const std::vector<_V>& all) {
    return device_ptr<_T>(__warptree_store(first.get(), all));
}

template <class _T, class _A> class device_vector;
template <class _T, class _A = void> class host_vector : public std::vector<_T> {
  public:
    using std::vector<_T>::vector;
    host_vector() = default;
    host_vector(const std::vector<_T>& other) : std::vector<_T>(other) {}
    template <class _B> __WARPTREE_CALL host_vector(const device_vector<_T, _B>& other) { *this = other; }
    template <class _B> __WARPTREE_CALL host_vector& operator=(const device_vector<_T, _B>& other) {
        static_cast<std::vector<_T>&>(*this) = __warptree_fetch(other.data(), other.size());
        return *this;
    }
    template <class _U, class = std::enable_if_t<!std::is_integral_v<_U>>>
    __WARPTREE_CALL host_vector(device_ptr<_U> first, device_ptr<_U> last)
        : std::vector<_T>(__warptree_fetch(first, static_cast<size_t>(last - first))) {}
};

template <class _T, class _A = void> class device_vector {
  public:
    using value_type = _T;
    using size_type = size_t;
    using difference_type = std::ptrdiff_t;
    using reference = device_reference<_T>;
    using pointer = device_ptr<_T>;
    using iterator = device_ptr<_T>;
    using const_iterator = device_ptr<const _T>;
    device_vector() = default;
    __WARPTREE_CALL explicit device_vector(size_t count, const _T& value = _T()) { assign(std::vector<_T>(count, value)); }
    template <class _I, class = std::enable_if_t<!std::is_integral_v<_I>>> __WARPTREE_CALL device_vector(_I first, _I last) {
        assign(__warptree_fetch(first, static_cast<size_t>(std::distance(first, last))));
    }
    __WARPTREE_CALL device_vector(std::initializer_list<_T> all) { assign(std::vector<_T>(all)); }
    __WARPTREE_CALL device_vector(const std::vector<_T>& other) { assign(other); }
    __WARPTREE_CALL device_vector(const device_vector& other) { assign(__warptree_fetch(other.data(), other.size())); }
    device_vector(device_vector&& other) noexcept { swap(other); }
    __WARPTREE_CALL device_vector& operator=(const device_vector& other) {
        if (this != &other) assign(__warptree_fetch(other.data(), other.size()));
        return *this;
    }
    device_vector& operator=(device_vector&& other) noexcept { return swap(other), *this; }
    __WARPTREE_CALL device_vector& operator=(const std::vector<_T>& other) { return assign(other), *this; }
    __WARPTREE_CALL ~device_vector() { cudaFree(at_.get()); }

    size_t size() const { return size_; }
    size_t capacity() const { return capacity_; }
    bool empty() const { return size_ == 0; }
    device_ptr<_T> data() { return at_; }
    device_ptr<const _T> data() const { return at_; }
    iterator begin() { return at_; }
    iterator end() { return at_ + size_; }
    const_iterator begin() const { return at_; }
    const_iterator end() const { return at_ + size_; }
    const_iterator cbegin() const { return at_; }
    const_iterator cend() const { return at_ + size_; }
    reference operator[](size_t i) { return at_[static_cast<std::ptrdiff_t>(i)]; }
    device_reference<const _T> operator[](size_t i) const { return begin()[static_cast<std::ptrdiff_t>(i)]; }
    reference front() { return *at_; }
    reference back() { return (*this)[size_ - 1]; }
    void clear() { size_ = 0; }
    void pop_back() { --size_; }
    __WARPTREE_CALL void shrink_to_fit() { resize_room(size_); }
    __WARPTREE_CALL void reserve(size_t count) {
        if (count > capacity_) resize_room(count);
    }
    __WARPTREE_CALL void resize(size_t count, const _T& value = _T()) {
        if (count > capacity_) resize_room(count);
        if (count > size_) __warptree_store(at_ + size_, std::vector<_T>(count - size_, value));
        size_ = count;
    }
    __WARPTREE_CALL void push_back(const _T& value) {
        if (size_ == capacity_) resize_room(2 * size_ + 1);
        (*this)[size_++] = value;
    }
    __WARPTREE_CALL void assign(size_t count, const _T& value) { assign(std::vector<_T>(count, value)); }
    template <class _I, class = std::enable_if_t<!std::is_integral_v<_I>>> __WARPTREE_CALL void assign(_I first, _I last) {
        assign(__warptree_fetch(first, static_cast<size_t>(std::distance(first, last))));
    }
    void swap(device_vector& other) noexcept {
        std::swap(at_, other.at_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

  private:
    __WARPTREE_CALL void assign(const std::vector<_T>& all) {
        size_ = 0;
        if (all.size() > capacity_) resize_room(all.size());
        __warptree_store(at_, all);
        size_ = all.size();
    }
    __WARPTREE_CALL void resize_room(size_t count) {
        const device_ptr<_T> old = at_;
        at_ = count == 0 ? device_ptr<_T>() : device_malloc<_T>(count);
        if (size_ != 0) __warptree_store(at_, __warptree_fetch(old, size_));
        cudaFree(old.get());
        capacity_ = count;
    }
    device_ptr<_T> at_;
    size_t size_ = 0, capacity_ = 0;
};

} // namespace thrust
