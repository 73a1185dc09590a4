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
//   probe.stage(stride, phase = Phase::none)    a new step begins; a kernel starts in the step "load". A barrier brings
//                                  the threads that skipped steps to the furthest step of the block
//   probe.store()                  the step "store" begins
//   if (const auto taken = probe.branch(condition)) { … } else { … }
//                                  a branch that may part the lanes of a warp. They join again where the if statement
//                                  ends: what follows is done by all of them together. Lanes that a step or a barrier
//                                  inside has taken further stay apart until the next
//   for (auto loop = probe.loop(); loop.again(condition);) { … }
//                                  a loop that the lanes of a warp may leave at different turns; those that have wait
//                                  for the others at its end
//   probe.barrier()                __syncthreads
//   probe.meet()                   the same for whole warps with roles of their own, each from its place in the source
//   probe.warp_barrier()           __syncwarp of all lanes. Nothing else orders what lanes of a warp do to shared memory:
//                                  a shuffle makes them meet and no more
//   probe.shuffle_down(v, delta, width = 32)    __shfl_down_sync of all lanes
//   probe.shuffle_up(v, delta, width = 32)      __shfl_up_sync
//   probe.shuffle_xor(v, mask, width = 32)      __shfl_xor_sync
//   probe.shuffle_index(v, lane, width = 32)    __shfl_sync
//   probe.reduce_lanes(v)          one instruction that combines all lanes (__reduce_add_sync and its like); integers of
//                                  4 bytes, every lane gets the result
//   probe.load_vector(in, i, n)    the kVector elements from kVector * i on, with one 16-byte load when all exist
//   probe.load_vector(in, i)       the same where all are known to exist
//   probe.shared_vector(s, k)      the kVector shared elements from kVector * k on, with one 16-byte load
//   probe.copy_vector(s, k, in, i)     begins to copy the kVector elements of the input from kVector * i on to the shared
//                                  ones from kVector * k on, 16 bytes at once and past the registers: the thread goes on
//                                  while they are under way (cp.async; before compute capability 8.0 it waits)
//   probe.copy_vector(s, k, in, i, n)  the same, with the identity from n on; where not all exist it waits
//   probe.copies_sent()            what the thread has begun to copy since the last call is a group, maybe an empty one
//   probe.copies_arrived<N>()      waits until at most the last N groups of the thread are under way; what has arrived
//                                  is seen by the thread itself, by others behind a barrier. In a trace a copy is there
//                                  at once: that a kernel reads too early is not found by it
//   probe.prefetch(in, i, count, n)    asks for `count` vectors from i on to be brought to the L2 cache, where all exist;
//                                  all threads call it. A hint: it changes no result, and a trace does not show it
//   probe.emit(out, v)             the block's result: out[block] = v, or an atomic combine into out[0] when the
//                                  run finishes atomically
//   probe.put(out, i, v)           out[i] = v, for a block with several results
//   probe.put_vector(out, i, v)    out[kVector * i] … = the elements of v, with one 16-byte store that says that nothing
//                                  reads them soon
//   probe.put_vector(out, i, v, n) the same of those below n, one by one where not all are
//   probe.atomic(out, v)           an atomic combine into out[0]
//   probe.argument(k)              value of the strategy's k-th parameter
//   probe.queue(tiles)             the tiles 0 … tiles - 1 of the grid's work, taken as blocks come free; a block begins
//                                  with the tile of its own index (all threads call):
//     queue.ask()                  thread 0 asks for another tile; once for each tile that the block works on
//     queue.next()                 all threads: what ask() got, from `tiles` on when there is none left; a barrier.
//                                  Traced, all blocks go at the same pace: a block gets every grid_size()-th tile
//   probe.last_to_arrive()         all threads: whether this block is the last of the grid to get here, with what the
//                                  others have put out visible to it
//   probe.tell(out, v)             one thread of a block: the block's result, for block 0 to hear; value and flag in one
//                                  word, so that no fence and no atomic is needed
//   probe.hear(out, i, n)          in block 0: waits until block i has told and gets it, or the identity when i >= n; each
//                                  once, and all of them. Others may not wait for block 0, so that it may wait for them
//   probe.gather()                 a step "load" begins again: of partials, or of the next tile
//   probe.multiply(a, b)           a × b, to be combined by a sum; no application of the operator. Operands may be shared
//                                  elements
//   probe.load_partial(out, i, n)  out[i] of any block, or the identity when i >= n; only in the last block to arrive
//   probe.put_total(out, v)        out[0] = v
//   probe.array(out, first, count) elements first … first + count - 1 of the output as memory of this block: g[i] loads
//                                  or stores out[first + i]; what is stored last is put out
//   probe.tiles(out, n, elements)  what the blocks of a launch tell each other, by tile of that many elements (all threads
//                                  call it):
//     tiles.ticket()               all threads: the block's tile, drawn in order of arrival; a barrier
//     tiles.peek(from, to)         all lanes of a warp: asks for the aggregates of tiles from … to - 1 and does not wait;
//                                  the block has published that of `to`
//     tiles.aggregates(peek)       all lanes of that warp: waits for them; lane l gets what those of from + l, from + l +
//                                  32, … are combined, or the identity where there is none. A trace reads them here
//   probe.tiles(out, n, elements, count, draws)    the same for `count` tiles on a smaller grid, whose blocks draw `draws`
//                                  tickets in all, each until it has one that is no tile:
//     tiles.ask()                  thread 0 asks for another ticket
//     tiles.next()                 all threads: what ask() got, `count` or more when there is no tile left; a barrier.
//                                  The interpreter, where a block ends before the next begins, gives each block tiles
//                                  that follow one another
//     tiles.publish_aggregate(tile, v), tiles.publish_prefix(tile, v)    for other blocks to see
//     tiles.look_back(tile)        all lanes of a warp: lane l waits for what tile - l has published, down to the first
//                                  that has a prefix, and gets the identity beyond: {value, ends}, where `ends` tells
//                                  all lanes whether there was such a prefix
//
// Value is what a register holds: T itself, or T with the node that produced it.
#pragma once

#include "app/base/operators.hpp"
#include "kernels/simt/phase.hpp"
#include "kernels/simt/source_line.hpp"
#include "kernels/strategy_info.hpp"

#include <cstdint>

#if defined(__CUDACC__)
#define WARPTREE_KERNEL __device__ __forceinline__ static
#else
#define WARPTREE_KERNEL static
#endif

namespace warptree {

using Index = std::uint64_t;

// A strategy whose block size is a template parameter of run.
template <class Strategy>
concept BlockIsTemplate = requires {
    Strategy::kBlockIsTemplate;
};

// Shared elements a block needs; a strategy states them by block, by block and arguments, or by all of the geometry.
template <class Strategy> std::uint32_t shared_words(const Geometry& g) {
    if constexpr (requires { Strategy::shared_elements(g); }) {
        return Strategy::shared_elements(g);
    } else if constexpr (requires { Strategy::shared_elements(g.block, g.arguments); }) {
        return Strategy::shared_elements(g.block, g.arguments);
    } else {
        return Strategy::shared_elements(g.block);
    }
}

} // namespace warptree
