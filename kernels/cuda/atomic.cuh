// Atomic combines: the hardware's where it has them (has_native_atomic), a compare-and-swap loop elsewhere.
#pragma once

#include "app/base/operators.hpp"

namespace warptree::cuda {

// CUDA's intrinsics know long long, not std::int64_t.
template <class T> __device__ __forceinline__ auto native(T* address) {
    if constexpr (std::is_same_v<std::remove_const_t<T>, std::int64_t>) {
        return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const long long*, long long*>>(address);
    } else {
        return address;
    }
}

// atomicInc by one thread, after its writes and before its reads as every thread of the device sees them.
__device__ __forceinline__ unsigned draw_in_order(unsigned* counter, unsigned last) {
    unsigned ticket;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;" : "=r"(ticket) : "l"(counter), "r"(last) : "memory");
    return ticket;
}

template <class T, class Op> __device__ void combine_by_swap(T* address, T value) {
    using Word = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
    auto* words = reinterpret_cast<Word*>(address);
    Word seen = *words;
    Word expected;
    do {
        expected = seen;
        T old;
        memcpy(&old, &expected, sizeof(T));
        const T updated = Op::apply(old, value);
        Word wanted;
        memcpy(&wanted, &updated, sizeof(T));
        seen = atomicCAS(words, expected, wanted);
    } while (seen != expected);
}

template <class Op, class T> __device__ __forceinline__ void atomic_combine(T* address, T value) {
    if constexpr (!has_native_atomic(ElementTypeOf<T>::value, Op::name)) {
        combine_by_swap<T, Op>(address, value);
    } else if constexpr (Op::name == Operator::sum || Op::name == Operator::sum_of_squares) {
        if constexpr (std::is_same_v<T, std::int64_t>) {
            atomicAdd(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value));
        } else {
            atomicAdd(address, value);
        }
    } else {
        using Word = std::conditional_t<std::is_same_v<T, std::int64_t>, long long, T>;
        auto* word = reinterpret_cast<Word*>(address);
        const auto v = static_cast<Word>(value);
        if constexpr (Op::name == Operator::min) {
            atomicMin(word, v);
        } else if constexpr (Op::name == Operator::max) {
            atomicMax(word, v);
        } else {
            atomicXor(reinterpret_cast<std::conditional_t<sizeof(T) == 8, unsigned long long, T>*>(address),
                      static_cast<std::conditional_t<sizeof(T) == 8, unsigned long long, T>>(value));
        }
    }
}

} // namespace warptree::cuda
