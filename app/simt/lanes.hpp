// Registers of a warp as rows of 32 lanes, and how an operation is applied to the active lanes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace warptree::simt {

inline constexpr unsigned kLanes = 32;
inline constexpr std::uint32_t kAllLanes = 0xFFFFFFFFU;

// A 4-byte register. An 8-byte one takes two rows, with its 32 values contiguous.
struct alignas(64) Row {
    std::uint32_t lane[kLanes];
};

template <class T> T* values(Row* row) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    return reinterpret_cast<T*>(row);
}
template <class T> const T* values(const Row* row) { return reinterpret_cast<const T*>(row); }

// All bits set for an active lane, for blending without a branch.
struct LaneMask {
    alignas(64) std::uint32_t half[kLanes];
    alignas(64) std::uint64_t full[kLanes];
    std::uint32_t bits = 0;

    void set(std::uint32_t mask) {
        bits = mask;
        for (unsigned l = 0; l < kLanes; ++l) {
            half[l] = (mask & 1U << l) != 0 ? 0xFFFFFFFFU : 0U;
        }
        for (unsigned l = 0; l < kLanes; ++l) {
            full[l] = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(half[l])));
        }
    }
    template <class T> const T* as() const {
        if constexpr (sizeof(T) == 4) {
            return half;
        } else {
            return full;
        }
    }
};

// dst[l] = f(l) on the active lanes. f must be safe on every lane: its result on inactive ones is discarded.
template <class T, class F> [[gnu::always_inline]] inline void each_lane(T* dst, const LaneMask& mask, F&& f) {
    static_assert(std::is_unsigned_v<T>);
    if (mask.bits == kAllLanes) {
        for (unsigned l = 0; l < kLanes; ++l) {
            dst[l] = f(l);
        }
        return;
    }
    const T* const keep = mask.as<T>();
    for (unsigned l = 0; l < kLanes; ++l) {
        const T value = f(l);
        dst[l] = (value & keep[l]) | (dst[l] & ~keep[l]);
    }
}

// f(l) for each active lane, lowest first.
template <class F> [[gnu::always_inline]] inline void each_active(std::uint32_t mask, F&& f) {
    for (; mask != 0; mask &= mask - 1) {
        f(static_cast<unsigned>(std::countr_zero(mask)));
    }
}

inline unsigned lowest(std::uint32_t mask) { return static_cast<unsigned>(std::countr_zero(mask)); }

} // namespace warptree::simt
