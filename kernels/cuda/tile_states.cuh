// The device side of tile_states.hpp.
#pragma once

#include "kernels/cuda/atomic.cuh"
#include "kernels/cuda/tile_states.hpp"

namespace warptree::cuda {

template <class T> class TileStates {
  public:
    __device__ __forceinline__ TileStates(void* output, std::uint64_t n, std::uint64_t tiles) {
        const TileLayout l = TileLayout::make(n, tiles, sizeof(T));
        auto* base = static_cast<unsigned char*>(output);
        counter_ = reinterpret_cast<unsigned*>(base + l.counter);
        flags_ = reinterpret_cast<unsigned*>(base + l.flags);
        aggregates_ = reinterpret_cast<T*>(base + l.aggregates);
        prefixes_ = reinterpret_cast<T*>(base + l.prefixes);
    }

    // All threads of the block, which it holds up at a barrier.
    __device__ __forceinline__ unsigned ticket() const {
        __shared__ unsigned tile;
        if (threadIdx.x == 0) {
            tile = atomicAdd(counter_, 1U);
        }
        __syncthreads();
        return tile;
    }
    __device__ __forceinline__ void publish(std::uint64_t tile, bool is_prefix, T value) const {
        (is_prefix ? prefixes_ : aggregates_)[tile] = value;
        __threadfence(); // the value before its flag
        atomicExch(flags_ + tile, is_prefix ? prefix_there : aggregate_there);
    }
    __device__ __forceinline__ T wait(std::uint64_t tile, bool& is_prefix) const {
        const volatile unsigned* flag = flags_ + tile;
        unsigned now = *flag;
        while (now == nothing_yet) {
            now = *flag;
        }
        __threadfence(); // the value after its flag
        is_prefix = now == prefix_there;
        return __ldcg(native((is_prefix ? prefixes_ : aggregates_) + tile)); // past the first cache
    }

  private:
    unsigned *counter_, *flags_;
    T *aggregates_, *prefixes_;
};

} // namespace warptree::cuda
