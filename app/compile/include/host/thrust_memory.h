// Thrust's vectors and pointers: memory of the device that host code reads and writes element by element, or as a whole.
#pragma once

#include "host/library.h"

#include <iterator>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <vector>

extern "C" cudaError_t __warptree_library_malloc(void** to, size_t bytes, unsigned int element);

namespace thrust {

template <class T> __WARPTREE_CALL void __warptree_pass(T* to, const T* from, size_t count) {
    if (count != 0 && __warptree_library_copy(const_cast<std::remove_const_t<T>*>(to), from, count * sizeof(T)) != cudaSuccess)
        throw std::runtime_error("thrust: a copy failed");
}

template <class T> class device_reference {
  public:
    using value_type = std::remove_const_t<T>;
    explicit device_reference(T* at) : at_(at) {}
    device_reference(const device_reference&) = default;
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
    T* at_;
};

template <class T> class device_ptr {
  public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::remove_const_t<T>;
    using difference_type = std::ptrdiff_t;
    using pointer = device_ptr;
    using reference = device_reference<T>;
    device_ptr() = default;
    device_ptr(std::nullptr_t) {}
    explicit device_ptr(T* at) : at_(at) {}
    template <class U, class = std::enable_if_t<std::is_convertible_v<U*, T*>>>
    device_ptr(const device_ptr<U>& other) : at_(other.get()) {}
    T* get() const { return at_; }
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
    T* at_ = nullptr;
};
template <class T> device_ptr<T> device_pointer_cast(T* at) { return device_ptr<T>(at); }
template <class T> device_ptr<T> device_pointer_cast(const device_ptr<T>& at) { return at; }
template <class T> T* raw_pointer_cast(T* at) { return at; }
template <class T> T* raw_pointer_cast(const device_ptr<T>& at) { return at.get(); }
template <class T> __WARPTREE_CALL device_ptr<T> device_malloc(size_t count) {
    void* at = nullptr;
    if (__warptree_library_malloc(&at, count * sizeof(T), __warptree_element<T>::value) != cudaSuccess) throw std::bad_alloc();
    return device_ptr<T>(static_cast<T*>(at));
}
template <class T> __WARPTREE_CALL void device_free(device_ptr<T> at) { cudaFree(at.get()); }

// The elements of any range of iterators, as host memory, and back.
template <class I> auto __warptree_fetch(I first, size_t count) {
    std::vector<std::decay_t<typename std::iterator_traits<I>::value_type>> all;
    all.reserve(count);
    for (size_t i = 0; i < count; ++i, ++first) all.push_back(*first);
    return all;
}
template <class T> __WARPTREE_CALL auto __warptree_fetch(T* first, size_t count) {
    using V = std::remove_const_t<T>;
    if constexpr (std::is_same_v<V, bool>) {
        std::vector<unsigned char> bytes(count);
        if (count != 0) __warptree_library_copy(bytes.data(), first, count);
        return std::vector<bool>(bytes.begin(), bytes.end());
    } else {
        std::vector<V> all(count);
        if (count != 0) __warptree_pass<V>(all.data(), first, count);
        return all;
    }
}
template <class T> __WARPTREE_CALL auto __warptree_fetch(device_ptr<T> first, size_t count) {
    return __warptree_fetch(first.get(), count);
}
template <class I, class V> I __warptree_store(I first, const std::vector<V>& all) {
    for (size_t i = 0; i < all.size(); ++i, ++first) *first = all[i];
    return first;
}
template <class T, class V> __WARPTREE_CALL T* __warptree_store(T* first, const std::vector<V>& all) {
    if constexpr (std::is_same_v<T, V> && !std::is_same_v<V, bool>) {
        __warptree_pass<T>(first, all.data(), all.size());
    } else {
        using B = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;
        std::vector<B> same(all.begin(), all.end());
        if (!same.empty()) __warptree_library_copy(first, same.data(), same.size() * sizeof(B));
    }
    return first + all.size();
}
template <class T, class V> __WARPTREE_CALL device_ptr<T> __warptree_store(device_ptr<T> first, const std::vector<V>& all) {
    return device_ptr<T>(__warptree_store(first.get(), all));
}

template <class T, class A> class device_vector;
template <class T, class A = void> class host_vector : public std::vector<T> {
  public:
    using std::vector<T>::vector;
    host_vector() = default;
    host_vector(const std::vector<T>& other) : std::vector<T>(other) {}
    template <class B> __WARPTREE_CALL host_vector(const device_vector<T, B>& other) { *this = other; }
    template <class B> __WARPTREE_CALL host_vector& operator=(const device_vector<T, B>& other) {
        static_cast<std::vector<T>&>(*this) = __warptree_fetch(other.data(), other.size());
        return *this;
    }
    template <class U, class = std::enable_if_t<!std::is_integral_v<U>>>
    __WARPTREE_CALL host_vector(device_ptr<U> first, device_ptr<U> last)
        : std::vector<T>(__warptree_fetch(first, static_cast<size_t>(last - first))) {}
};

template <class T, class A = void> class device_vector {
  public:
    using value_type = T;
    using size_type = size_t;
    using difference_type = std::ptrdiff_t;
    using reference = device_reference<T>;
    using pointer = device_ptr<T>;
    using iterator = device_ptr<T>;
    using const_iterator = device_ptr<const T>;
    device_vector() = default;
    __WARPTREE_CALL explicit device_vector(size_t count, const T& value = T()) { assign(std::vector<T>(count, value)); }
    template <class I, class = std::enable_if_t<!std::is_integral_v<I>>> __WARPTREE_CALL device_vector(I first, I last) {
        assign(__warptree_fetch(first, static_cast<size_t>(std::distance(first, last))));
    }
    __WARPTREE_CALL device_vector(std::initializer_list<T> all) { assign(std::vector<T>(all)); }
    __WARPTREE_CALL device_vector(const std::vector<T>& other) { assign(other); }
    __WARPTREE_CALL device_vector(const device_vector& other) { assign(__warptree_fetch(other.data(), other.size())); }
    device_vector(device_vector&& other) noexcept { swap(other); }
    __WARPTREE_CALL device_vector& operator=(const device_vector& other) {
        if (this != &other) assign(__warptree_fetch(other.data(), other.size()));
        return *this;
    }
    device_vector& operator=(device_vector&& other) noexcept { return swap(other), *this; }
    __WARPTREE_CALL device_vector& operator=(const std::vector<T>& other) { return assign(other), *this; }
    __WARPTREE_CALL ~device_vector() { cudaFree(at_.get()); }

    size_t size() const { return size_; }
    size_t capacity() const { return capacity_; }
    bool empty() const { return size_ == 0; }
    device_ptr<T> data() { return at_; }
    device_ptr<const T> data() const { return at_; }
    iterator begin() { return at_; }
    iterator end() { return at_ + size_; }
    const_iterator begin() const { return at_; }
    const_iterator end() const { return at_ + size_; }
    const_iterator cbegin() const { return at_; }
    const_iterator cend() const { return at_ + size_; }
    reference operator[](size_t i) { return at_[static_cast<std::ptrdiff_t>(i)]; }
    device_reference<const T> operator[](size_t i) const { return begin()[static_cast<std::ptrdiff_t>(i)]; }
    reference front() { return *at_; }
    reference back() { return (*this)[size_ - 1]; }
    void clear() { size_ = 0; }
    void pop_back() { --size_; }
    __WARPTREE_CALL void shrink_to_fit() { resize_room(size_); }
    __WARPTREE_CALL void reserve(size_t count) {
        if (count > capacity_) resize_room(count);
    }
    __WARPTREE_CALL void resize(size_t count, const T& value = T()) {
        if (count > capacity_) resize_room(count);
        if (count > size_) __warptree_store(at_ + size_, std::vector<T>(count - size_, value));
        size_ = count;
    }
    __WARPTREE_CALL void push_back(const T& value) {
        if (size_ == capacity_) resize_room(2 * size_ + 1);
        (*this)[size_++] = value;
    }
    __WARPTREE_CALL void assign(size_t count, const T& value) { assign(std::vector<T>(count, value)); }
    template <class I, class = std::enable_if_t<!std::is_integral_v<I>>> __WARPTREE_CALL void assign(I first, I last) {
        assign(__warptree_fetch(first, static_cast<size_t>(std::distance(first, last))));
    }
    void swap(device_vector& other) noexcept {
        std::swap(at_, other.at_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

  private:
    __WARPTREE_CALL void assign(const std::vector<T>& all) {
        size_ = 0;
        if (all.size() > capacity_) resize_room(all.size());
        __warptree_store(at_, all);
        size_ = all.size();
    }
    __WARPTREE_CALL void resize_room(size_t count) {
        const device_ptr<T> old = at_;
        at_ = count == 0 ? device_ptr<T>() : device_malloc<T>(count);
        if (size_ != 0) __warptree_store(at_, __warptree_fetch(old, size_));
        cudaFree(old.get());
        capacity_ = count;
    }
    device_ptr<T> at_;
    size_t size_ = 0, capacity_ = 0;
};

} // namespace thrust
