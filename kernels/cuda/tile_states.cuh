// The device side of tile_states.hpp.
#pragma once

#include "kernels/cuda/atomic.cuh"
#include "kernels/cuda/tile_states.hpp"

#include <cstring>

namespace warptree::cuda {

// A value and its flag, written and read at once: neither needs a fence against the other.
__device__ __forceinline__ void write_word(void* words, std::uint64_t k, std::uint32_t value, std::uint32_t flag) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(static_cast<std::uint64_t*>(words) + k),
                 "l"(std::uint64_t{flag} << 32 | value)
                 : "memory");
}
__device__ __forceinline__ void read_word(const void* words, std::uint64_t k, std::uint32_t& value,
                                          std::uint32_t& flag) {
    std::uint64_t word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                 : "=l"(word)
                 : "l"(static_cast<const std::uint64_t*>(words) + k)
                 : "memory");
    value = static_cast<std::uint32_t>(word);
    flag = static_cast<std::uint32_t>(word >> 32);
}
__device__ __forceinline__ void write_word(void* words, std::uint64_t k, std::uint64_t value, std::uint32_t flag) {
    asm volatile("{.reg .b128 word; mov.b128 word, {%1, %2}; st.relaxed.gpu.global.b128 [%0], word;}" ::"l"(
                     static_cast<std::uint64_t*>(words) + 2 * k),
                 "l"(value), "l"(std::uint64_t{flag})
                 : "memory");
}
__device__ __forceinline__ void read_word(const void* words, std::uint64_t k, std::uint64_t& value,
                                          std::uint32_t& flag) {
    std::uint64_t high;
    asm volatile("{.reg .b128 word; ld.relaxed.gpu.global.b128 word, [%2]; mov.b128 {%0, %1}, word;}"
                 : "=l"(value), "=l"(high)
                 : "l"(static_cast<const std::uint64_t*>(words) + 2 * k)
                 : "memory");
    flag = static_cast<std::uint32_t>(high);
}

// A barrier that whole warps may reach at different places of the program, which __syncthreads does not allow.
__device__ __forceinline__ void meet_block() {
    __syncwarp(); // it counts warps as they arrive, not their lanes
    asm volatile("barrier.sync 1, %0;" ::"r"(blockDim.x) : "memory");
}

template <class T> class TileStates {
    using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

  public:
    // What the lanes of a warp have seen of as many tiles: lane 0 of the nearest.
    struct Sight {
        T value;
        bool exists;       // there is such a tile
        bool is_prefix;    // of this lane's
        unsigned prefixes; // lanes with a prefix, or without a tile
        __device__ __forceinline__ bool ends() const { return prefixes != 0; }
        // Whether no nearer lane has a prefix.
        __device__ __forceinline__ bool reads() const {
            return exists && (prefixes & ((1U << threadIdx.x % 32) - 1)) == 0;
        }
    };

    // `draws`: tickets drawn in a launch; the one who draws the last makes the counter ready for the next.
    __device__ __forceinline__ TileStates(void* output, std::uint64_t n, std::uint32_t tiles, std::uint32_t draws)
        : draws_(draws) {
        const TileLayout l = TileLayout::make(n, tiles, sizeof(T));
        auto* base = static_cast<unsigned char*>(output);
        counter_ = reinterpret_cast<unsigned long long*>(base + l.counter);
        words_ = base + l.words;
    }

    // All threads of the block, which it holds up at a barrier.
    __device__ __forceinline__ std::uint32_t ticket() {
        __shared__ unsigned long long drawn;
        if (threadIdx.x == 0) {
            drawn = atomicAdd(counter_, 1ULL);
        }
        __syncthreads();
        const auto tile = static_cast<std::uint32_t>(drawn);
        launch_ = static_cast<std::uint32_t>(drawn >> 32);
        if (tile == draws_ - 1 && threadIdx.x == 0) { // the others have drawn
            *counter_ = static_cast<unsigned long long>(launch_ + 1) << 32;
        }
        return tile;
    }
    __device__ __forceinline__ void ask() {
        if (threadIdx.x == 0) {
            // Not atomicAdd, whose result the compiler hands round the warp, and so waits for.
            std::uint64_t drawn;
            asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], 1;" : "=l"(drawn) : "l"(counter_) : "memory");
            asked_ = static_cast<std::uint32_t>(drawn);
        }
    }
    __device__ __forceinline__ std::uint32_t next() {
        __shared__ std::uint32_t got[2]; // in turns, so that one barrier does
        if (threadIdx.x == 0) {
            got[turn_] = asked_;
            if (asked_ == draws_ - 1) {
                *counter_ = static_cast<unsigned long long>(launch_ + 1) << 32;
            }
        }
        meet_block();
        const std::uint32_t tile = got[turn_];
        turn_ ^= 1U;
        return tile;
    }
    __device__ __forceinline__ void publish(std::uint64_t tile, bool is_prefix, T value) const {
        Word bits;
        memcpy(&bits, &value, sizeof bits);
        write_word(words_, tile, bits, is_prefix ? prefix_there() : aggregate_there());
    }
    // All lanes of a warp; lane l waits for tile - l.
    __device__ __forceinline__ Sight look_back(std::uint64_t tile) const {
        const unsigned lane = threadIdx.x % 32;
        Sight sight{{}, lane <= tile, true, 0};
        if (sight.exists) {
            Word bits;
            std::uint32_t flag;
            do {
                read_word(words_, tile - lane, bits, flag);
            } while (flag != aggregate_there() && flag != prefix_there());
            memcpy(&sight.value, &bits, sizeof bits);
            sight.is_prefix = flag == prefix_there();
        }
        sight.prefixes = __ballot_sync(0xFFFFFFFFU, sight.is_prefix);
        return sight;
    }
    // Waits for it.
    __device__ T aggregate(std::uint64_t tile) const {
        Word bits;
        std::uint32_t flag;
        do {
            read_word(words_, tile, bits, flag);
        } while (flag != aggregate_there());
        T value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    // What a lane has read so far of the tiles from + lane, from + lane + 32, …
    struct Peek {
        static constexpr unsigned kAtOnce = 6; // reads under way; 132 blocks, and some that went ahead
        std::uint32_t first, to; // past the last it reads `to`, as a condition would have it wait for each
        Word bits[kAtOnce];
        std::uint32_t flags[kAtOnce];
        __device__ __forceinline__ std::uint32_t tile(unsigned k) const { return min(first + 32 * k, to); }
    };
    // All lanes of a warp: asks for the aggregates of tiles from … to - 1, and does not wait. That of `to` itself is
    // published already.
    __device__ __forceinline__ Peek peek(std::uint64_t from, std::uint64_t to) const {
        Peek p{static_cast<std::uint32_t>(from) + threadIdx.x % 32, static_cast<std::uint32_t>(to), {}, {}};
        for (unsigned k = 0; k < Peek::kAtOnce; ++k) {
            read_word(words_, p.tile(k), p.bits[k], p.flags[k]);
        }
        return p;
    }
    // All lanes of that warp: waits for them; those of the lane are combined.
    template <class Op> __device__ __forceinline__ T aggregates(Peek p) const {
        for (;;) {
            bool all = true;
            for (unsigned k = 0; k < Peek::kAtOnce; ++k) {
                all = all && p.flags[k] == aggregate_there();
            }
            if (__all_sync(0xFFFFFFFFU, all)) {
                break;
            }
            for (unsigned k = 0; k < Peek::kAtOnce; ++k) {
                if (p.flags[k] != aggregate_there()) {
                    read_word(words_, p.tile(k), p.bits[k], p.flags[k]);
                }
            }
        }
        T sum = Op::template identity<T>;
        for (unsigned k = 0; k < Peek::kAtOnce; ++k) {
            T value;
            memcpy(&value, &p.bits[k], sizeof value);
            sum = Op::apply(sum, p.tile(k) < p.to ? value : Op::template identity<T>);
        }
        for (std::uint32_t tile = p.first + 32 * Peek::kAtOnce; tile < p.to; tile += 32) {
            sum = Op::apply(sum, aggregate(tile));
        }
        return sum;
    }

  private:
    __device__ __forceinline__ std::uint32_t aggregate_there() const { return 2 * launch_ + 1; }
    __device__ __forceinline__ std::uint32_t prefix_there() const { return 2 * launch_ + 2; }

    unsigned long long* counter_;
    void* words_;
    std::uint32_t draws_, launch_ = 0;
    std::uint32_t asked_ = 0, turn_ = 0; // of thread 0; of got
};

} // namespace warptree::cuda
