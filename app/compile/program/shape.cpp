#include "app/compile/program/shape.hpp"

namespace warptree::compile {

namespace {

using enum Operand;

constexpr Shape pure(Operand dst, Operand a, Operand b = none, Operand c = none) {
    return {.dst = dst, .a = a, .b = b, .c = c, .pure = true};
}
constexpr Shape effect(Operand dst, Operand a, Operand b = none, Operand c = none) {
    return {.dst = dst, .a = a, .b = b, .c = c};
}
constexpr Shape terminator(Operand a, Operand b = none, Operand c = none) {
    return {.a = a, .b = b, .c = c, .ends = true};
}

} // namespace

// Operations on two operands whose result has their width, for 32 and 64 bits.
// clang-format off
#define WARPTREE_BINARY(X) \
    X(add) X(sub) X(mul) X(udiv) X(sdiv) X(urem) X(srem) X(shl) X(lshr) X(ashr) X(and) X(or) X(xor) \
    X(smin) X(smax) X(umin) X(umax) X(umulhi) X(smulhi) X(fadd) X(fsub) X(fmul) X(fdiv) X(frem) X(fmin) X(fmax)
// clang-format on
#define WARPTREE_CASE32(name) case Opcode::name##32:
#define WARPTREE_CASE64(name) case Opcode::name##64:

Shape shape(Opcode op) {
    switch (op) {
        WARPTREE_BINARY(WARPTREE_CASE32)
        return pure(row, row, row);
        WARPTREE_BINARY(WARPTREE_CASE64)
        return pure(wide, wide, wide);
    case Opcode::eq32:
    case Opcode::ne32:
    case Opcode::ult32:
    case Opcode::ule32:
    case Opcode::slt32:
    case Opcode::sle32: return pure(row, row, row);
    case Opcode::eq64:
    case Opcode::ne64:
    case Opcode::ult64:
    case Opcode::ule64:
    case Opcode::slt64:
    case Opcode::sle64: return pure(row, wide, wide);
    case Opcode::fcmp32: return pure(row, row, row, number);
    case Opcode::fcmp64: return pure(row, wide, wide, number);
    case Opcode::fma32:
    case Opcode::select32:
    case Opcode::prmt: return pure(row, row, row, row);
    case Opcode::count_flags: return pure(row, row, row);
    case Opcode::fma64:
    case Opcode::fma_odd64: return pure(wide, wide, wide, wide);
    case Opcode::select64: return pure(wide, wide, wide, row);
    case Opcode::fneg32:
    case Opcode::mov32:
    case Opcode::int_to_f32:
    case Opcode::uint_to_f32:
    case Opcode::f32_to_int:
    case Opcode::f32_to_uint:
    case Opcode::f16_to_f32:
    case Opcode::f32_to_f16:
    case Opcode::f32_to_bf16:
    case Opcode::popc32:
    case Opcode::clz32:
    case Opcode::ctz32:
    case Opcode::brev32: return pure(row, row);
    case Opcode::fneg64:
    case Opcode::mov64:
    case Opcode::long_to_f64:
    case Opcode::ulong_to_f64:
    case Opcode::f64_to_long:
    case Opcode::f64_to_ulong:
    case Opcode::brev64: return pure(wide, wide);
    case Opcode::zext64:
    case Opcode::sext64:
    case Opcode::int_to_f64:
    case Opcode::uint_to_f64:
    case Opcode::f32_to_long:
    case Opcode::f32_to_ulong:
    case Opcode::f32_to_f64: return pure(wide, row);
    case Opcode::trunc32:
    case Opcode::long_to_f32:
    case Opcode::ulong_to_f32:
    case Opcode::f64_to_int:
    case Opcode::f64_to_uint:
    case Opcode::f64_to_f32:
    case Opcode::f64_to_f16:
    case Opcode::f64_to_bf16:
    case Opcode::popc64:
    case Opcode::clz64:
    case Opcode::ctz64: return pure(row, wide);
    case Opcode::keep_low:
    case Opcode::sign_low: return pure(row, row, number);
    case Opcode::math32: return pure(row, row, row, function);
    case Opcode::math64: return pure(wide, wide, wide, function);
    case Opcode::address: return pure(wide, wide, index_row, access);
    case Opcode::local_address: return pure(wide, none, none, number);
    case Opcode::load: return effect(elements, wide, index_row, access);
    case Opcode::store: return {.dst = elements, .a = wide, .b = index_row, .c = access, .reads = true};
    case Opcode::atomic: return effect(value, wide, index_row, atomic);
    case Opcode::copy_memory: return {.dst = wide, .a = wide, .c = wide, .reads = true};
    case Opcode::fill_memory: return {.dst = wide, .a = row, .c = wide, .reads = true};
    case Opcode::copy_async: return effect(none, none, none, copy);
    case Opcode::copy_commit: return effect(none, none);
    case Opcode::copy_wait: return effect(none, none, none, number);
    case Opcode::shuffle: return effect(value, value, none, exchange);
    case Opcode::reduce_warp: return effect(row, value, none, exchange);
    case Opcode::vote: return effect(row, row, none, exchange);
    case Opcode::match: return effect(row, value, none, exchange);
    case Opcode::sync_warp: return effect(none, row);
    case Opcode::active_mask: return effect(row, none, none, number);
    case Opcode::barrier: return effect(result_row, none, none, barrier);
    case Opcode::fence: return effect(none, none, none, scope);
    case Opcode::grid_barrier: return effect(none, none);
    case Opcode::cluster_barrier: return effect(none, none, none, number);
    case Opcode::special: return pure(value, none, none, special);
    case Opcode::jump: return terminator(none, none, edge);
    case Opcode::branch: return terminator(row, edge, edge);
    case Opcode::branch_switch: return terminator(value, none, switch_table);
    case Opcode::call: return effect(none, none, none, call);
    case Opcode::call_pointer: return effect(none, wide, none, call);
    case Opcode::ret: return terminator(results);
    case Opcode::exit: return terminator(none);
    case Opcode::trap: return terminator(none, none, text);
    case Opcode::print: return effect(result_row, wide, wide, text);
    case Opcode::assert_fail: return effect(none, wide, none, number);
    case Opcode::heap_allocate: return effect(wide, wide);
    case Opcode::heap_free: return effect(none, wide);
    case Opcode::watch: return effect(none, value, none, variable);
    case Opcode::count: break;
    }
    return {};
}

#undef WARPTREE_BINARY
#undef WARPTREE_CASE32
#undef WARPTREE_CASE64

} // namespace warptree::compile
