// A few values that a thread loads at once.
#pragma once

#include "app/base/host_device.hpp"

namespace warptree {

template <class Value, unsigned N> struct Vector {
    Value values[N];
    WARPTREE_HD Value& operator[](unsigned i) { return values[i]; }
    WARPTREE_HD const Value& operator[](unsigned i) const { return values[i]; }
};

} // namespace warptree
