// Thrust: for device code only what files name outside of host functions, which are not read here.
#pragma once

#include "warptree/thrust_functional.h"

#ifdef __WARPTREE_HOST
#include "host/thrust.h"
#include "host/thrust_ordered.h"
#else
#include <tuple>
#include <utility>
namespace thrust {
using std::get;
using std::make_pair;
using std::make_tuple;
using std::pair;
using std::tuple;
// What kernels are given: their types choose the instance of a template.
template <class _T>
class device_ptr;
template <class _T>
class device_reference {
  public:
    typedef _T value_type;
    operator _T() const;
    device_ptr<_T> operator&() const;
    template <class _U>
    device_reference& operator=(const _U&);
};
template <class _T>
class device_ptr {
  public:
    typedef _T value_type;
    device_ptr();
    explicit device_ptr(_T*);
    _T* get() const;
    device_reference<_T> operator*() const;
    device_reference<_T> operator[](ptrdiff_t) const;
    device_ptr operator+(ptrdiff_t) const;
    device_ptr operator-(ptrdiff_t) const;
    ptrdiff_t operator-(device_ptr) const;
};
template <class _T, class _Allocator = void>
class device_vector {
  public:
    typedef _T value_type;
    typedef device_ptr<_T> iterator, pointer;
    template <class... _A>
    device_vector(_A&&...);
    device_ptr<_T> data() const;
    device_ptr<_T> begin() const;
    device_ptr<_T> end() const;
    device_reference<_T> operator[](size_t) const;
    size_t size() const;
};
template <class _T, class _Allocator = void>
class host_vector {
  public:
    typedef _T value_type;
    typedef _T* iterator;
    template <class... _A>
    host_vector(_A&&...);
    _T* data() const;
    _T* begin() const;
    _T* end() const;
    _T& operator[](size_t) const;
    size_t size() const;
};
template <class _T>
_T* raw_pointer_cast(_T*);
template <class _T>
_T* raw_pointer_cast(const device_ptr<_T>&);
template <class _T>
device_ptr<_T> device_pointer_cast(_T*);
} // namespace thrust
#endif
