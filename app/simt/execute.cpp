// Executes the instructions of a fragment.
#include "app/base/narrow_float.hpp"
#include "app/simt/arithmetic.hpp"
#include "app/simt/block_run.hpp"
#include "app/simt/wide.hpp"

namespace warptree::simt {

namespace {
using compile::Instruction;
using compile::Opcode;

// dst = f(a, b) with U as the registers' type.
template <class U, class F>
[[gnu::always_inline]] inline void binary(Row* rows, const LaneMask& mask, const Instruction& i, F&& f) {
    const U *a = values<U>(rows + i.a), *b = values<U>(rows + i.b);
    each_lane(values<U>(rows + i.dst), mask, [&](unsigned l) { return static_cast<U>(f(a[l], b[l])); });
}
// The same for an f that must not see inactive lanes or cannot be vectorised.
template <class U, class F>
[[gnu::always_inline]] inline void binary_each(Row* rows, const LaneMask& mask, const Instruction& i, F&& f) {
    const U *a = values<U>(rows + i.a), *b = values<U>(rows + i.b);
    U* const dst = values<U>(rows + i.dst);
    each_active(mask.bits, [&](unsigned l) { dst[l] = f(a[l], b[l]); });
}
// The same for quotients and remainders. If the active lanes share a divisor that is a power of two (block size,
// stride, halved offset), it computes power(a, log2 of the divisor), in a tenth of the time.
template <class U, class F, class P>
[[gnu::always_inline]] inline void dividing(Row* rows, const LaneMask& mask, const Instruction& i, F&& f, P&& power) {
    const U *a = values<U>(rows + i.a), *b = values<U>(rows + i.b), *keep = mask.as<U>();
    const U divisor = b[lowest(mask.bits)];
    U different = 0;
    for (unsigned l = 0; l < kLanes; ++l) {
        different |= (b[l] ^ divisor) & keep[l];
    }
    const auto logarithm = static_cast<U>(std::countr_zero(divisor));
    if (different == 0 && std::has_single_bit(divisor) && logarithm + 1 < kBits<U>) {
        each_lane(values<U>(rows + i.dst), mask, [&](unsigned l) { return static_cast<U>(power(a[l], logarithm)); });
        return;
    }
    binary_each<U>(rows, mask, i, f);
}
template <class U, class F>
[[gnu::always_inline]] inline void floating(Row* rows, const LaneMask& mask, const Instruction& i, F&& f) {
    binary<U>(rows, mask, i, [&](U a, U b) { return bits_of(f(as_float(a), as_float(b))); });
}
template <class U, class F>
[[gnu::always_inline]] inline void compare(Row* rows, const LaneMask& mask, const Instruction& i, F&& f) {
    const U *a = values<U>(rows + i.a), *b = values<U>(rows + i.b);
    each_lane(values<std::uint32_t>(rows + i.dst), mask,
              [&](unsigned l) { return static_cast<std::uint32_t>(f(a[l], b[l])); });
}
// dst = f(a), from a register of type From to one of type To.
template <class To, class From, class F>
[[gnu::always_inline]] inline void unary(Row* rows, const LaneMask& mask, const Instruction& i, F&& f) {
    const From* a = values<From>(rows + i.a);
    each_lane(values<To>(rows + i.dst), mask, [&](unsigned l) { return static_cast<To>(f(a[l])); });
}
template <class To, class From, class F>
[[gnu::always_inline]] inline void unary_each(Row* rows, const LaneMask& mask, const Instruction& i, F&& f) {
    const From* a = values<From>(rows + i.a);
    To* const dst = values<To>(rows + i.dst);
    each_active(mask.bits, [&](unsigned l) { dst[l] = static_cast<To>(f(a[l])); });
}

using u32 = std::uint32_t;
using u64 = std::uint64_t;
} // namespace

#define BOTH(name, form, ...)                                                                                          \
    case Opcode::name##32: form<u32>(rows_, mask_, i, __VA_ARGS__); break;                                             \
    case Opcode::name##64:                                                                                             \
        form<u64>(rows_, mask_, i, __VA_ARGS__);                                                                       \
        break
#define TAGGED(name, form, ...)                                                                                        \
    case Opcode::name##32:                                                                                             \
        form<u32>(rows_, mask_, i, __VA_ARGS__);                                                                       \
        if (i.tag_dst != 0) {                                                                                          \
            tag_binary(i, false);                                                                                      \
        }                                                                                                              \
        break;                                                                                                         \
    case Opcode::name##64:                                                                                             \
        form<u64>(rows_, mask_, i, __VA_ARGS__);                                                                       \
        if (i.tag_dst != 0) {                                                                                          \
            tag_binary(i, true);                                                                                       \
        }                                                                                                              \
        break
#define SIGNED(name, ...)                                                                                              \
    case Opcode::name##32:                                                                                             \
        if ((i.flags & compile::kSigned) != 0 && prepared_.tells_overflow()) {                                         \
            tell_overflow(i);                                                                                          \
        }                                                                                                              \
        binary<u32>(rows_, mask_, i, __VA_ARGS__);                                                                     \
        if (i.tag_dst != 0) {                                                                                          \
            tag_binary(i, false);                                                                                      \
        }                                                                                                              \
        break;                                                                                                         \
    case Opcode::name##64:                                                                                             \
        binary<u64>(rows_, mask_, i, __VA_ARGS__);                                                                     \
        if (i.tag_dst != 0) {                                                                                          \
            tag_binary(i, true);                                                                                       \
        }                                                                                                              \
        break
#define CONVERT(name, To, From, form, ...)                                                                             \
    case Opcode::name:                                                                                                 \
        form<To, From>(rows_, mask_, i, __VA_ARGS__);                                                                  \
        tag_copy(i.tag_dst, i.tag_a);                                                                                  \
        break
template <class T>
constexpr ValueType kValueType = sizeof(T) == 8 ? (std::is_signed_v<T> ? ValueType::i64 : ValueType::u64)
                                                : (std::is_signed_v<T> ? ValueType::i32 : ValueType::u32);
// To a whole number: another value, where there was a fraction.
#define WHOLE(name, To, From, Integer)                                                                                 \
    case Opcode::name:                                                                                                 \
        unary_each<To, From>(rows_, mask_, i, [](From a) { return to_integer<Integer>(as_float(a)); });                \
        if (i.tag_dst != 0) {                                                                                          \
            tag_function(i, kValueType<Integer>, whole_already<From, Integer>(i));                                     \
        }                                                                                                              \
        break

// The lanes whose number had no fraction and is in the integer's range.
template <class From, class Integer> std::uint32_t BlockRun::whole_already(const Instruction& i) const {
    const From* const before = values<From>(rows_ + i.a);
    const auto* const after = values<std::make_unsigned_t<Integer>>(rows_ + i.dst);
    std::uint32_t same = 0;
    each_active(mask_.bits, [&](unsigned l) {
        const auto number = static_cast<double>(static_cast<Integer>(after[l]));
        same |= number == static_cast<double>(as_float(before[l])) ? 1U << l : 0U;
    });
    return same;
}

template <class U, class F> [[gnu::always_inline]] inline void BlockRun::fused(const Instruction& i, F&& f) {
    const U *a = values<U>(rows_ + i.a), *b = values<U>(rows_ + i.b), *c = values<U>(rows_ + i.c);
    U* const dst = values<U>(rows_ + i.dst);
    each_active(mask_.bits, [&](unsigned l) { dst[l] = bits_of(f(as_float(a[l]), as_float(b[l]), as_float(c[l]))); });
    if (i.tag_dst != 0) {
        tag_fma(i, sizeof(U) == 8);
    }
}

template <class U> [[gnu::always_inline]] inline void BlockRun::choose(const Instruction& i) {
    const U *a = values<U>(rows_ + i.a), *b = values<U>(rows_ + i.b);
    const u32* const condition = values<u32>(rows_ + i.c);
    each_lane(values<U>(rows_ + i.dst), mask_, [&](unsigned l) { return (condition[l] & 1U) != 0 ? a[l] : b[l]; });
    if (i.tag_dst != 0) {
        tag_select(i);
    }
}

template <class U> [[gnu::always_inline]] inline void BlockRun::function(const Instruction& i) {
    const auto f = static_cast<compile::Function>(i.c);
    const U* const a = values<U>(rows_ + i.a);
    U* const dst = values<U>(rows_ + i.dst);
    each_active(mask_.bits, [&](unsigned l) {
        U second = 0;
        if (f == compile::Function::ldexp) {
            second = values<u32>(rows_ + i.b)[l];
        } else if (compile::takes_two(f)) {
            second = values<U>(rows_ + i.b)[l];
        }
        dst[l] = bits_of(evaluate(f, as_float(a[l]), as_float(second)));
    });
    if ((i.flags & compile::kOfLibrary) != 0 && (follows() || logs())) {
        take_exchanged(i, compile::LogKind::computed, sizeof(U) == 8, sizeof(U) == 8 ? ValueType::f64 : ValueType::f32);
    }
    if (i.tag_dst != 0) {
        tag_function(i, sizeof(U) == 8 ? ValueType::f64 : ValueType::f32);
    }
}

template <bool kFull> [[gnu::always_inline]] inline void BlockRun::execute_as() {
    while (running_) {
        const Instruction& i = code_[fragment_.pc++];
        ++instructions_;
        lane_instructions_ += lanes_;
        if ((i.flags & compile::kBeginsStatement) != 0) {
            begin_statement();
        }
        switch (i.op) {
            SIGNED(add, [](auto a, auto b) { return a + b; });
            SIGNED(sub, [](auto a, auto b) { return a - b; });
            SIGNED(mul, [](auto a, auto b) { return a * b; });
            TAGGED(
                udiv, dividing, [](auto a, auto b) { return divide(a, b); }, [](auto a, auto k) { return a >> k; });
            TAGGED(
                sdiv, dividing, [](auto a, auto b) { return signed_divide(a, b); },
                [](auto a, auto k) { return signed_divide_by_power(a, k); });
            TAGGED(
                urem, dividing, [](auto a, auto b) { return remainder(a, b); },
                [](auto a, auto k) { return a & ((decltype(a){1} << k) - 1); });
            TAGGED(
                srem, dividing, [](auto a, auto b) { return signed_remainder(a, b); },
                [](auto a, auto k) { return a - (signed_divide_by_power(a, k) << k); });
            TAGGED(shl, binary, [](auto a, auto b) { return shift_left(a, b); });
            TAGGED(lshr, binary, [](auto a, auto b) { return shift_right(a, b); });
            TAGGED(ashr, binary, [](auto a, auto b) { return signed_shift_right(a, b); });
            TAGGED(and, binary, [](auto a, auto b) { return a & b; });
            TAGGED(or, binary, [](auto a, auto b) { return a | b; });
            TAGGED(xor, binary, [](auto a, auto b) {
              return a ^ b;
            });
            TAGGED(smin, binary, [](auto a, auto b) { return signed_less(a, b) ? a : b; });
            TAGGED(smax, binary, [](auto a, auto b) { return signed_less(a, b) ? b : a; });
            TAGGED(umin, binary, [](auto a, auto b) { return a < b ? a : b; });
            TAGGED(umax, binary, [](auto a, auto b) { return a < b ? b : a; });
            TAGGED(umulhi, binary, [](auto a, auto b) { return high_product(a, b); });
            TAGGED(smulhi, binary, [](auto a, auto b) { return signed_high_product(a, b); });
            TAGGED(fadd, floating, [](auto a, auto b) { return a + b; });
            TAGGED(fsub, floating, [](auto a, auto b) { return a - b; });
            TAGGED(fmul, floating, [](auto a, auto b) { return a * b; });
            TAGGED(fdiv, floating, [](auto a, auto b) { return a / b; });
            TAGGED(frem, floating, [](auto a, auto b) { return std::fmod(a, b); });
            TAGGED(fmin, floating, [](auto a, auto b) { return least(a, b); });
            TAGGED(fmax, floating, [](auto a, auto b) { return greatest(a, b); });
        case Opcode::fma32: fused<u32>(i, [](float a, float b, float c) { return std::fma(a, b, c); }); break;
        case Opcode::fma64: fused<u64>(i, [](double a, double b, double c) { return std::fma(a, b, c); }); break;
        case Opcode::fma_odd64:
            fused<u64>(i, multiply_add_odd);
            break;
            CONVERT(fneg32, u32, u32, unary, [](u32 a) { return a ^ 0x80000000U; });
            CONVERT(fneg64, u64, u64, unary, [](u64 a) { return a ^ (1ULL << 63); });

            BOTH(eq, compare, [](auto a, auto b) { return a == b; });
            BOTH(ne, compare, [](auto a, auto b) { return a != b; });
            BOTH(ult, compare, [](auto a, auto b) { return a < b; });
            BOTH(ule, compare, [](auto a, auto b) { return a <= b; });
            BOTH(slt, compare, [](auto a, auto b) { return signed_less(a, b); });
            BOTH(sle, compare, [](auto a, auto b) { return !signed_less(b, a); });
            BOTH(fcmp, compare, [&](auto a, auto b) { return (outcome(as_float(a), as_float(b)) & i.c) != 0; });

        case Opcode::select32: choose<u32>(i); break;
        case Opcode::select64:
            choose<u64>(i);
            break;
            CONVERT(mov32, u32, u32, unary, [](u32 a) { return a; });
            CONVERT(mov64, u64, u64, unary, [](u64 a) { return a; });
            CONVERT(zext64, u64, u32, unary, [](u32 a) { return a; });
            CONVERT(sext64, u64, u32, unary,
                    [](u32 a) { return static_cast<std::int64_t>(static_cast<std::int32_t>(a)); });
            CONVERT(trunc32, u32, u64, unary, [](u64 a) { return a; });
            CONVERT(keep_low, u32, u32, unary, [&](u32 a) { return a & ((1U << i.b) - 1U); });
            CONVERT(sign_low, u32, u32, unary,
                    [&](u32 a) { return static_cast<u32>(static_cast<std::int32_t>(a << (32 - i.b)) >> (32 - i.b)); });
            CONVERT(int_to_f32, u32, u32, unary,
                    [](u32 a) { return bits_of(static_cast<float>(static_cast<std::int32_t>(a))); });
            CONVERT(uint_to_f32, u32, u32, unary, [](u32 a) { return bits_of(static_cast<float>(a)); });
            CONVERT(long_to_f32, u32, u64, unary,
                    [](u64 a) { return bits_of(static_cast<float>(static_cast<std::int64_t>(a))); });
            CONVERT(ulong_to_f32, u32, u64, unary, [](u64 a) { return bits_of(static_cast<float>(a)); });
            CONVERT(int_to_f64, u64, u32, unary,
                    [](u32 a) { return bits_of(static_cast<double>(static_cast<std::int32_t>(a))); });
            CONVERT(uint_to_f64, u64, u32, unary, [](u32 a) { return bits_of(static_cast<double>(a)); });
            CONVERT(long_to_f64, u64, u64, unary,
                    [](u64 a) { return bits_of(static_cast<double>(static_cast<std::int64_t>(a))); });
            CONVERT(ulong_to_f64, u64, u64, unary, [](u64 a) { return bits_of(static_cast<double>(a)); });
            WHOLE(f32_to_int, u32, u32, std::int32_t);
            WHOLE(f32_to_uint, u32, u32, std::uint32_t);
            WHOLE(f32_to_long, u64, u32, std::int64_t);
            WHOLE(f32_to_ulong, u64, u32, std::uint64_t);
            WHOLE(f64_to_int, u32, u64, std::int32_t);
            WHOLE(f64_to_uint, u32, u64, std::uint32_t);
            WHOLE(f64_to_long, u64, u64, std::int64_t);
            WHOLE(f64_to_ulong, u64, u64, std::uint64_t);
            CONVERT(f32_to_f64, u64, u32, unary, [](u32 a) { return bits_of(static_cast<double>(f32(a))); });
            CONVERT(f64_to_f32, u32, u64, unary, [](u64 a) { return bits_of(static_cast<float>(f64(a))); });
            CONVERT(f16_to_f32, u32, u32, unary_each, [](u32 a) { return bits_of(half_value(a)); });
            CONVERT(f32_to_f16, u32, u32, unary_each, [](u32 a) { return to_half(f32(a)); });
            CONVERT(f64_to_f16, u32, u64, unary_each, [](u64 a) { return to_half(f64(a)); });
            CONVERT(f32_to_bf16, u32, u32, unary_each, [](u32 a) { return to_bfloat16(f32(a)); });
            CONVERT(f64_to_bf16, u32, u64, unary_each, [](u64 a) { return to_bfloat16(f64(a)); });
        case Opcode::math32: function<u32>(i); break;
        case Opcode::math64:
            function<u64>(i);
            break;
            CONVERT(popc32, u32, u32, unary_each, [](u32 a) { return std::popcount(a); });
            CONVERT(popc64, u32, u64, unary_each, [](u64 a) { return std::popcount(a); });
            CONVERT(clz32, u32, u32, unary_each, [](u32 a) { return std::countl_zero(a); });
            CONVERT(clz64, u32, u64, unary_each, [](u64 a) { return std::countl_zero(a); });
            CONVERT(ctz32, u32, u32, unary_each, [](u32 a) { return std::countr_zero(a); });
            CONVERT(ctz64, u32, u64, unary_each, [](u64 a) { return std::countr_zero(a); });
            CONVERT(brev32, u32, u32, unary, [](u32 a) { return reversed(a); });
            CONVERT(brev64, u64, u64, unary_each, [](u64 a) { return reversed(a); });
        case Opcode::prmt: {
            const u32* const selector = values<u32>(rows_ + i.c);
            const u32 *a = values<u32>(rows_ + i.a), *b = values<u32>(rows_ + i.b);
            u32* const dst = values<u32>(rows_ + i.dst);
            each_active(mask_.bits, [&](unsigned l) { dst[l] = permuted(a[l], b[l], selector[l]); });
            tag_copy(i.tag_dst, i.tag_a);
            break;
        }
        case Opcode::address: {
            std::uint64_t address[kLanes];
            addresses(i, program_.accesses[i.c], address);
            each_lane(values<u64>(rows_ + i.dst), mask_, [&](unsigned l) { return address[l]; });
            break;
        }
        case Opcode::local_address: {
            const u64 address = compile::kLocalBase + fragment_.frame->local + i.c;
            each_lane(values<u64>(rows_ + i.dst), mask_, [&](unsigned) { return address; });
            break;
        }
        case Opcode::load: load(i); break;
        case Opcode::store: store(i); break;
        case Opcode::atomic: atomic(i); break;
        case Opcode::copy_memory: copy_memory(i); break;
        case Opcode::fill_memory: fill_memory(i); break;
        case Opcode::copy_async: copy_async(i); break;
        case Opcode::copy_commit:
        case Opcode::copy_wait: break; // copies complete at once
        case Opcode::shuffle: shuffle(i); break;
        case Opcode::vote: vote(i); break;
        case Opcode::count_flags: count_flags(i); break;
        case Opcode::match: match(i); break;
        case Opcode::reduce_warp: reduce_warp(i); break;
        case Opcode::sync_warp: sync_warp(i); break;
        case Opcode::active_mask: {
            const u32 active = mask_.bits;
            if (i.c == 1) {
                Finding f;
                f.kind = FindingKind::legacy_shuffle;
                f.severity = Severity::risk;
                f.mask = active;
                find(std::move(f), i, lowest(active));
            }
            each_lane(values<u32>(rows_ + i.dst), mask_, [&](unsigned) { return active; });
            break;
        }
        case Opcode::barrier: barrier(i); break;
        case Opcode::fence:
            if (attempt_ != nullptr) {
                doubt();
                break;
            }
            fences_.fence(clocks_, warp_->number, mask_.bits, static_cast<compile::Scope>(i.c));
            show_stores();
            break;
        case Opcode::grid_barrier: grid_barrier(i); break;
        case Opcode::cluster_barrier: cluster_barrier(i); break;
        case Opcode::special: special(i); break;
        case Opcode::jump: go(i.c, mask_.bits); break;
        case Opcode::branch: {
            const u32* const condition = values<u32>(rows_ + i.a);
            u32 taken = 0;
            for (unsigned l = 0; l < kLanes; ++l) {
                taken |= (condition[l] & 1U) << l;
            }
            taken &= mask_.bits;
            note_branch(i.location);
            if (taken == mask_.bits || taken == 0) {
                const u32 way = taken == 0 ? i.c : i.b;
                fragment_.way = fragment_.around == i.location ? way : fragment_.way;
                go(way, mask_.bits);
            } else {
                branch(i, taken);
            }
            break;
        }
        case Opcode::branch_switch: branch_switch(i); break;
        case Opcode::call: call(i); break;
        case Opcode::call_pointer: call_pointer(i); break;
        case Opcode::ret: return_from(); break;
        case Opcode::exit: end_lanes(mask_.bits); break;
        case Opcode::trap: trap(i); break;
        case Opcode::print: print(i); break;
        case Opcode::assert_fail: assert_fail(i); break;
        case Opcode::heap_allocate:
        case Opcode::heap_free: heap(i); break;
        case Opcode::watch:
            if constexpr (kFull) {
                watch(i);
            }
            break;
        case Opcode::count: break;
        }
        if (instructions_ >= turn_ends_ && running_) {
            turn_over();
        }
    }
}

WARPTREE_WIDE void BlockRun::execute_counting() { execute_as<false>(); }
WARPTREE_WIDE void BlockRun::execute_full() { execute_as<true>(); }

} // namespace warptree::simt
