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
template <class _T>
class device_ptr;
template <class _T>
class device_reference;
template <class _T, class _Allocator = void>
class device_vector;
template <class _T, class _Allocator = void>
class host_vector;
} // namespace thrust
#endif
