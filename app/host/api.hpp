// The runtime API as the program's code was compiled with it, and what its functions have in common.
#pragma once

#include "app/host/channel.hpp"

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>

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

// The same, and the finding says what for.
inline cudaError_t refused(cudaError_t error, Misuse why, const void* from) {
    return error_of(ask(Call::note_error, {static_cast<std::uint64_t>(error), static_cast<std::uint64_t>(why)}, from));
}

// The number of a kernel that the object registered; ~0: it is none.
std::uint64_t kernel_number(const void* stub);
// The number of a variable of the device; ~0: it is none.
std::uint64_t variable_number(const void* shadow);

// A launch for later, with its arguments as they are now.
cudaError_t prepare_launch(const cudaKernelNodeParams& parameters, const void* from,
                           std::function<cudaError_t()>& later);

// Work in a stream: done now, or, while that is being captured, a part of its graph. nullptr: the legacy default stream, in which a
// call works that the host waits for; while a stream is captured that waits for it, its use is refused.
cudaError_t in_order(cudaStream_t stream, std::function<cudaError_t()> work, const void* from);
// What a capture forbids: it is then lost. none: nothing.
cudaError_t forbidden_allocation(const void* from); // and freeing, by calls that may wait for the device
cudaError_t forbidden_wait(const void* from);       // for the device
cudaError_t forbidden_wait(cudaStream_t stream, const void* from);
// An event that is recorded in a stream that is being captured, and a stream that waits for one, belong to the capture.
void note_event(cudaStream_t stream, cudaEvent_t event);
bool joins_capture(cudaStream_t stream, cudaEvent_t event, const void* from);

// The number of a stream: while a graph runs, of that in which it was launched, whatever stream its parts were captured from.
std::uint64_t stream_number(cudaStream_t stream);
bool runs_a_graph();

// Passes bytes between this process and the device without a word in the story; what the device does not have ends the run.
void pass_bytes(std::uint64_t device, void* host, std::size_t bytes, bool to_device, const void* from);
// An array (cudaArray_t): its rows lie one behind the other, all of one slice before the next one's.
struct ArrayView {
    std::uint64_t address = 0, pitch = 0, rows = 0, element = 0; // pitch and element in bytes; rows of a slice
};
const ArrayView& view_of(const cudaArray* array);

struct Pitched {
    void* memory;
    std::size_t pitch;
};
cudaError_t copy_rows_in(Pitched to, Pitched from, std::size_t width, std::size_t height, int kind, cudaStream_t stream,
                         bool waits, const void* caller);
// Variables that both halves see have two homes, and no kernel runs while the host does: before a launch the device gets
// the host's values, after it the host the device's.
void pass_managed(bool to_device, const void* from);

inline std::uint64_t pair(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; }
inline std::uint64_t number(const void* handle) { return bits(handle); }

} // namespace warptree::host
