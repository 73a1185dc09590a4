// reduce, inclusive_scan, exclusive_scan and memcpy_async of cooperative groups.
#pragma once

#include "warptree/groups.h"
#include "warptree/math.h"
#include "warptree/pipeline.h"

namespace __cooperative_groups {

#define __WARPTREE_OPERATOR(name, value)                                                                               \
    template <class T = void> struct name {                                                                            \
        __WARPTREE_MEMBER_BOTH T operator()(T a, T b) const { return value; }                                          \
    };                                                                                                                 \
    template <> struct name<void> {                                                                                    \
        template <class T> __WARPTREE_MEMBER_BOTH T operator()(T a, T b) const { return value; }                       \
    };
__WARPTREE_OPERATOR(plus, a + b)
__WARPTREE_OPERATOR(bit_and, a& b)
__WARPTREE_OPERATOR(bit_or, a | b)
__WARPTREE_OPERATOR(bit_xor, a ^ b)
#undef __WARPTREE_OPERATOR
namespace details {
// A single operation if the type has it.
template <class T> __WARPTREE_MEMBER_BOTH T smaller(T a, T b) {
    if constexpr (is_number<T>)
        return __builtin_elementwise_min(a, b);
    else
        return b < a ? b : a;
}
template <class T> __WARPTREE_MEMBER_BOTH T larger(T a, T b) {
    if constexpr (is_number<T>)
        return __builtin_elementwise_max(a, b);
    else
        return a < b ? b : a;
}
} // namespace details
#define __WARPTREE_OPERATOR(name, function)                                                                            \
    template <class T = void> struct name {                                                                            \
        __WARPTREE_MEMBER_BOTH T operator()(T a, T b) const { return details::function(a, b); }                        \
    };                                                                                                                 \
    template <> struct name<void> {                                                                                    \
        template <class T> __WARPTREE_MEMBER_BOTH T operator()(T a, T b) const { return details::function(a, b); }     \
    };
__WARPTREE_OPERATOR(less, smaller)
__WARPTREE_OPERATOR(greater, larger)
#undef __WARPTREE_OPERATOR

template <class Group, class T, class Operator> __WARPTREE_MEMBER T reduce(const Group& group, T value, Operator&& op);

namespace details {

template <class T> inline constexpr bool has_instruction = (__is_integral(T) && sizeof(T) == 4);
// The instruction that reduces 32-bit integers across lanes; `otherwise` for every other operator.
#define __WARPTREE_INSTRUCTION(name, instruction)                                                                      \
    template <class T, class U, class F> __WARPTREE_MEMBER T across(unsigned int mask, T value, const name<U>&, F) {   \
        if constexpr (__is_signed(T))                                                                                  \
            return static_cast<T>(instruction(mask, static_cast<int>(value)));                                         \
        else                                                                                                           \
            return static_cast<T>(instruction(mask, static_cast<unsigned int>(value)));                                \
    }
__WARPTREE_INSTRUCTION(plus, __reduce_add_sync)
__WARPTREE_INSTRUCTION(less, __reduce_min_sync)
__WARPTREE_INSTRUCTION(greater, __reduce_max_sync)
__WARPTREE_INSTRUCTION(bit_and, __reduce_and_sync)
__WARPTREE_INSTRUCTION(bit_or, __reduce_or_sync)
__WARPTREE_INSTRUCTION(bit_xor, __reduce_xor_sync)
#undef __WARPTREE_INSTRUCTION
template <class T, class Operator, class F> __WARPTREE_MEMBER T across(unsigned int, T, const Operator&, F otherwise) {
    return otherwise();
}

template <unsigned int Size, class Parent, class T, class Operator>
__WARPTREE_MEMBER T reduce_by_shuffles(const thread_block_tile<Size, Parent>& tile, T value, Operator& op) {
    for (unsigned int offset = Size / 2; offset > 0; offset /= 2) value = op(value, tile.shfl_xor(value, offset));
    return value;
}
// Within each warp; then every warp combines the warps' values.
template <unsigned int Size, class Parent, class T, class Operator>
__WARPTREE_MEMBER T reduce_warps(const thread_block_tile<Size, Parent>& tile, T value, Operator& op) {
    constexpr unsigned int warps = Size / 32;
    const thread_block_tile<32, thread_block> warp;
    value = __cooperative_groups::reduce(warp, value, op);
    T* const of_warps = reinterpret_cast<T*>(tile.template __memory<T>());
    if (warp.thread_rank() == 0) of_warps[tile.thread_rank() / 32] = value;
    tile.sync();
    value = of_warps[warp.thread_rank() % warps];
    tile.sync();
    for (unsigned int offset = warps / 2; offset > 0; offset /= 2) value = op(value, warp.shfl_xor(value, offset));
    return value;
}
template <class T, class Operator>
__WARPTREE_MEMBER T reduce_by_shuffles(const coalesced_group& group, T value, Operator& op) {
    const unsigned int rank = group.thread_rank();
    // Halves of the group combine until one is left; an odd one waits for the next round.
    for (unsigned int count = group.size(); count > 1; count = (count + 1) / 2) {
        const T other = group.shfl_down(value, (count + 1) / 2);
        if (rank < count / 2) value = op(value, other);
    }
    return group.shfl(value, 0);
}

// The identity of the operator; for operators outside this namespace T().
template <class T, class U> __WARPTREE_MEMBER T identity(const bit_and<U>&) { return static_cast<T>(~T()); }
template <class T> __WARPTREE_MEMBER T smallest() {
    if constexpr (__is_floating_point(T))
        return static_cast<T>(-__builtin_inf());
    else if constexpr (__is_signed(T))
        return static_cast<T>(1ULL << (sizeof(T) * 8 - 1));
    else
        return T();
}
template <class T> __WARPTREE_MEMBER T largest() {
    if constexpr (__is_floating_point(T))
        return static_cast<T>(__builtin_inf());
    else
        return static_cast<T>(~smallest<T>());
}
template <class T, class U> __WARPTREE_MEMBER T identity(const less<U>&) { return largest<T>(); }
template <class T, class U> __WARPTREE_MEMBER T identity(const greater<U>&) { return smallest<T>(); }
template <class T, class Operator> __WARPTREE_MEMBER T identity(const Operator&) { return T(); }

} // namespace details

// The combination of all values of the group, in each of its threads.
template <class Group, class T, class Operator> __WARPTREE_MEMBER T reduce(const Group& group, T value, Operator&& op) {
    if constexpr (Group::kind == 3)
        return details::reduce_warps(group, value, op);
    else if constexpr (details::has_instruction<T>)
        return details::across(group.__mask(), value, op,
                               [&] __WARPTREE_LAMBDA { return details::reduce_by_shuffles(group, value, op); });
    else
        return details::reduce_by_shuffles(group, value, op);
}
template <class Group, class T, class Operator>
__WARPTREE_MEMBER T inclusive_scan(const Group& group, T value, Operator&& op) {
    static_assert(Group::kind == 1, "scans of more than a warp are not part of warptree");
    const auto rank = group.thread_rank(), size = group.num_threads();
    for (unsigned int offset = 1; offset < size; offset *= 2) {
        const T before = group.shfl_up(value, offset);
        if (rank >= offset) value = op(before, value);
    }
    return value;
}
template <class Group, class T> __WARPTREE_MEMBER T inclusive_scan(const Group& group, T value) {
    return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T, class Operator>
__WARPTREE_MEMBER T exclusive_scan(const Group& group, T value, Operator&& op) {
    const T before = group.shfl_up(inclusive_scan(group, value, op), 1);
    return group.thread_rank() == 0 ? details::identity<T>(op) : before;
}
template <class Group, class T> __WARPTREE_MEMBER T exclusive_scan(const Group& group, T value) {
    return exclusive_scan(group, value, plus<T>());
}

// Copies to shared memory; each thread of the group starts its part.
template <class Group, class T>
__WARPTREE_MEMBER void memcpy_async(const Group& group, T* to, const T* from, size_t bytes) {
    constexpr size_t piece = alignof(T) >= 16 ? 16 : alignof(T) >= 8 ? 8 : alignof(T) >= 4 ? 4 : 1;
    char* const target = reinterpret_cast<char*>(to);
    const char* const source = reinterpret_cast<const char*>(from);
    for (size_t at = group.thread_rank() * piece; at < bytes; at += group.num_threads() * piece) {
        if constexpr (piece == 16)
            __pipeline_memcpy_async(target + at, source + at, 16);
        else if constexpr (piece == 8)
            __pipeline_memcpy_async(target + at, source + at, 8);
        else if constexpr (piece == 4)
            __pipeline_memcpy_async(target + at, source + at, 4);
        else
            target[at] = source[at];
    }
    __pipeline_commit();
}
template <class Group, class T>
__WARPTREE_MEMBER void memcpy_async(const Group& group, T* to, size_t to_count, const T* from, size_t from_count) {
    memcpy_async(group, to, from, min(to_count, from_count) * sizeof(T));
}
template <class Group> __WARPTREE_MEMBER void wait(const Group& group) {
    __pipeline_wait_prior(0);
    group.sync();
}
template <unsigned int Stages, class Group> __WARPTREE_MEMBER void wait_prior(const Group& group) {
    __pipeline_wait_prior(Stages);
    group.sync();
}

} // namespace __cooperative_groups
