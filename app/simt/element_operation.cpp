#include "app/simt/element_operation.hpp"

#include "app/simt/arithmetic.hpp"

#include <cfloat>

namespace warptree::simt {

using compile::Opcode;

ElementOperation element_operation(Opcode op) {
    switch (op) {
    case Opcode::add32:
    case Opcode::add64: return {Operation::add};
    case Opcode::fadd32:
    case Opcode::fadd64: return {Operation::add, true};
    case Opcode::sub32:
    case Opcode::sub64: return {Operation::subtract};
    case Opcode::fsub32:
    case Opcode::fsub64: return {Operation::subtract, true};
    case Opcode::mul32:
    case Opcode::mul64:
    case Opcode::umulhi32:
    case Opcode::umulhi64:
    case Opcode::smulhi32:
    case Opcode::smulhi64: return {Operation::multiply};
    case Opcode::fmul32:
    case Opcode::fmul64: return {Operation::multiply, true};
    case Opcode::udiv32:
    case Opcode::udiv64:
    case Opcode::sdiv32:
    case Opcode::sdiv64: return {Operation::divide};
    case Opcode::fdiv32:
    case Opcode::fdiv64: return {Operation::divide, true};
    case Opcode::urem32:
    case Opcode::urem64:
    case Opcode::srem32:
    case Opcode::srem64: return {Operation::remainder};
    case Opcode::frem32:
    case Opcode::frem64: return {Operation::remainder, true};
    case Opcode::shl32:
    case Opcode::shl64: return {Operation::shift_left};
    case Opcode::lshr32:
    case Opcode::lshr64:
    case Opcode::ashr32:
    case Opcode::ashr64: return {Operation::shift_right};
    case Opcode::and32:
    case Opcode::and64: return {Operation::and_};
    case Opcode::or32:
    case Opcode::or64: return {Operation::or_};
    case Opcode::xor32:
    case Opcode::xor64: return {Operation::xor_};
    case Opcode::smin32:
    case Opcode::smin64:
    case Opcode::umin32:
    case Opcode::umin64: return {Operation::minimum};
    case Opcode::smax32:
    case Opcode::smax64:
    case Opcode::umax32:
    case Opcode::umax64: return {Operation::maximum};
    case Opcode::fmin32:
    case Opcode::fmin64: return {Operation::minimum, true};
    case Opcode::fmax32:
    case Opcode::fmax64: return {Operation::maximum, true};
    default: return {};
    }
}

namespace {
// Whether the bits are the identity of this minimum or maximum.
bool is_extreme(Opcode op, std::uint64_t bits, bool wide) {
    switch (op) {
    case Opcode::smin32: return bits == 0x7FFFFFFFU;
    case Opcode::smin64: return bits == 0x7FFFFFFFFFFFFFFFULL;
    case Opcode::smax32: return bits == 0x80000000U;
    case Opcode::smax64: return bits == 1ULL << 63;
    case Opcode::umin32: return bits == 0xFFFFFFFFU;
    case Opcode::umin64: return bits == ~0ULL;
    case Opcode::umax32:
    case Opcode::umax64: return bits == 0;
    default: break;
    }
    const double value = wide ? f64(bits) : static_cast<double>(f32(static_cast<std::uint32_t>(bits)));
    const double most = wide ? DBL_MAX : static_cast<double>(FLT_MAX);
    return op == Opcode::fmin32 || op == Opcode::fmin64 ? value >= most : value <= -most;
}
} // namespace

bool is_identity(Opcode op, ElementOperation by, std::uint64_t bits, bool right, bool wide) {
    const double value = !by.floating ? 0
                         : wide       ? f64(bits)
                                      : static_cast<double>(f32(static_cast<std::uint32_t>(bits)));
    switch (by.operation) {
    case Operation::add: return by.floating ? value == 0 : bits == 0;
    case Operation::subtract: return right && (by.floating ? value == 0 : bits == 0);
    case Operation::multiply: return by.floating ? value == 1 : bits == 1;
    case Operation::divide: return right && (by.floating ? value == 1 : bits == 1);
    case Operation::and_: return bits == (wide ? ~0ULL : 0xFFFFFFFFULL);
    case Operation::or_:
    case Operation::xor_: return bits == 0;
    case Operation::shift_left:
    case Operation::shift_right: return right && bits == 0;
    case Operation::minimum:
    case Operation::maximum: return is_extreme(op, bits, wide);
    default: return false;
    }
}

bool only_packs(ElementOperation by, bool wide) {
    return wide && !by.floating &&
           (by.operation == Operation::shift_left || by.operation == Operation::shift_right ||
            by.operation == Operation::or_ || by.operation == Operation::and_);
}

} // namespace warptree::simt
