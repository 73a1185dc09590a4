// The runtime API as the program's code was compiled with it, and what its functions have in common.
#pragma once

#include "app/host/channel.hpp"

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#define __WARPTREE_PLAIN 1
#define __WARPTREE_HOST 1
#include "app/compile/include/warptree/host.h"

// Where the program calls the function that this stands in.
#define WARPTREE_CALLER __builtin_return_address(0)

namespace warptree::host {

inline cudaError_t error_of(const Reply& reply) { return static_cast<cudaError_t>(reply.error()); }

// An error that needs no device to be found: it becomes the last one.
inline cudaError_t refused(cudaError_t error, const void* from) {
    return error_of(ask(Call::note_error, {static_cast<std::uint64_t>(error)}, from));
}

// The number of a kernel that the object registered; ~0: it is none.
std::uint64_t kernel_number(const void* stub);
// The number of a variable of the device; ~0: it is none.
std::uint64_t variable_number(const void* shadow);

inline std::uint64_t pair(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; }
inline std::uint64_t number(const void* handle) { return bits(handle); }

} // namespace warptree::host
