// The vocabulary a kernel is written in. A kernel is a static member template
//
//     template <class Probe>
//     WARPTREE_KERNEL void run(Probe probe, typename Probe::Input in, typename Probe::Output out, Index n);
//
// and is compiled three times: with simt::Off by nvcc (the real kernel: every call below folds away), with
// cuda::Trace by nvcc (it records), and with cpu::Probe by the host compiler (each thread is a fiber).
//
//   probe.thread() block() block_size() grid_size() lane() warp()   where this thread is
//   probe.shared(count)            the block's shared array of elements; s[i] loads or stores one
//   probe.volatile_shared(count)   the same array, seen as volatile: every access in the source reaches memory
//   probe.load(in, i, n)           in[i], or the identity when i >= n
//   probe.combine(a, b)            one application of the operator; operands may be shared elements
//   probe.identity()               the operator's identity
//   probe.stage(stride)            a new step of the tree begins; a kernel starts in the step "load"
//   probe.store()                  the step "store" begins
//   probe.branch(condition)        the condition of a branch; returns it
//   probe.barrier()                __syncthreads
//   probe.warp_barrier()           __syncwarp of all lanes
//   probe.shuffle_down(v, delta)   __shfl_down_sync of all lanes
//   probe.emit(out, v)             the block's result: out[block] = v, or an atomic combine into out[0] when the
//                                  run finishes atomically
//   probe.atomic(out, v)           an atomic combine into out[0]
//
// Value is what a register holds: T itself, or T with the node that produced it.
#pragma once

#include "kernels/simt/operators.hpp"
#include "kernels/simt/source_line.hpp"
#include "kernels/strategy.hpp"

#include <cstdint>

#if defined(__CUDACC__)
#define WARPTREE_KERNEL __device__ __forceinline__ static
#else
#define WARPTREE_KERNEL static
#endif

namespace warptree {

using Index = std::uint64_t;

} // namespace warptree
