// Thrust: for device code only what files name outside of host functions, which are not read here.
#pragma once

#include "warptree/thrust_functional.h"

#ifdef __WARPTREE_HOST
#include "host/thrust.h"
#else
#include <tuple>
#include <utility>
namespace thrust {
using std::get;
using std::make_pair;
using std::make_tuple;
using std::pair;
using std::tuple;
template <class __T> class device_ptr;
template <class __T> class device_reference;
template <class __T, class __Allocator = void> class device_vector;
template <class __T, class __Allocator = void> class host_vector;
} // namespace thrust
#endif
