// Containers of host code, which is parsed only: declarations of what they have in common.
#pragma once

#include <iterator>

namespace std {

template <class _T>
class allocator {};

template <class _T>
class __warptree_sequence {
  public:
    typedef _T value_type;
    typedef size_t size_type;
    typedef ptrdiff_t difference_type;
    typedef _T& reference;
    typedef const _T& const_reference;
    typedef _T* pointer;
    typedef _T* iterator;
    typedef const _T* const_iterator;
    typedef _T* reverse_iterator;
    __warptree_sequence();
    explicit __warptree_sequence(size_t);
    __warptree_sequence(size_t, const _T&);
    __warptree_sequence(initializer_list<_T>);
    template <class _I, class = enable_if_t<!__is_arithmetic(_I)>>
    __warptree_sequence(_I, _I);
    __warptree_sequence(const __warptree_sequence&);
    ~__warptree_sequence();
    __warptree_sequence& operator=(const __warptree_sequence&);
    _T& operator[](size_t);
    const _T& operator[](size_t) const;
    _T& at(size_t);
    const _T& at(size_t) const;
    _T& front();
    const _T& front() const;
    _T& back();
    const _T& back() const;
    _T* data();
    const _T* data() const;
    _T* begin();
    const _T* begin() const;
    const _T* cbegin() const;
    _T* rbegin();
    _T* end();
    const _T* end() const;
    const _T* cend() const;
    _T* rend();
    size_t size() const;
    size_t capacity() const;
    bool empty() const;
    void clear();
    void reserve(size_t);
    void resize(size_t);
    void resize(size_t, const _T&);
    void shrink_to_fit();
    void push_back(const _T&);
    void push_front(const _T&);
    void pop_back();
    void pop_front();
    void swap(__warptree_sequence&);
    template <class... _A>
    _T& emplace_back(_A&&...);
    template <class... _A>
    void assign(_A&&...);
    template <class... _A>
    _T* insert(const _T*, _A&&...);
    template <class... _A>
    _T* erase(_A&&...);
    bool operator==(const __warptree_sequence&) const;
    bool operator<(const __warptree_sequence&) const;
};

template <class _K, class _V>
class __warptree_set {
  public:
    typedef _K key_type;
    typedef _V value_type;
    typedef _V* iterator;
    typedef const _V* const_iterator;
    __warptree_set();
    __warptree_set(initializer_list<_V>);
    template <class _I>
    __warptree_set(_I, _I);
    _V* begin();
    const _V* begin() const;
    _V* end();
    const _V* end() const;
    _V* find(const _K&);
    const _V* find(const _K&) const;
    size_t count(const _K&) const;
    bool contains(const _K&) const;
    size_t size() const;
    bool empty() const;
    void clear();
    template <class... _A>
    pair<_V*, bool> insert(_A&&...);
    template <class... _A>
    pair<_V*, bool> emplace(_A&&...);
    template <class _T>
    size_t erase(const _T&);
};
template <class _K, class _V>
class __warptree_map : public __warptree_set<_K, pair<const _K, _V>> {
  public:
    using __warptree_set<_K, pair<const _K, _V>>::__warptree_set;
    typedef _V mapped_type;
    _V& operator[](const _K&);
    _V& at(const _K&);
    const _V& at(const _K&) const;
};

} // namespace std
