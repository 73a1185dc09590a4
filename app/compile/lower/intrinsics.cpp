// LLVM's intrinsics, except NVVM's.
#include "app/compile/lower/calls.hpp"
#include "app/compile/lower/copies.hpp"
#include "app/compile/lower/known.hpp"
#include "app/compile/lower/numbers.hpp"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

namespace warptree::compile::lowering {

namespace {

using Id = llvm::Intrinsic::ID;

std::optional<Function> function_of(Id id) {
    switch (id) {
    case llvm::Intrinsic::fabs: return Function::abs;
    case llvm::Intrinsic::sqrt: return Function::sqrt;
    case llvm::Intrinsic::exp: return Function::exp;
    case llvm::Intrinsic::exp2: return Function::exp2;
    case llvm::Intrinsic::exp10: return Function::exp10;
    case llvm::Intrinsic::log: return Function::log;
    case llvm::Intrinsic::log2: return Function::log2;
    case llvm::Intrinsic::log10: return Function::log10;
    case llvm::Intrinsic::sin: return Function::sin;
    case llvm::Intrinsic::cos: return Function::cos;
    case llvm::Intrinsic::tan: return Function::tan;
    case llvm::Intrinsic::asin: return Function::asin;
    case llvm::Intrinsic::acos: return Function::acos;
    case llvm::Intrinsic::atan: return Function::atan;
    case llvm::Intrinsic::sinh: return Function::sinh;
    case llvm::Intrinsic::cosh: return Function::cosh;
    case llvm::Intrinsic::tanh: return Function::tanh;
    case llvm::Intrinsic::floor: return Function::floor;
    case llvm::Intrinsic::ceil: return Function::ceil;
    case llvm::Intrinsic::trunc: return Function::trunc;
    case llvm::Intrinsic::round: return Function::round;
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::nearbyint:
    case llvm::Intrinsic::roundeven: return Function::rint;
    case llvm::Intrinsic::pow: return Function::pow;
    case llvm::Intrinsic::copysign: return Function::copysign;
    case llvm::Intrinsic::ldexp: return Function::ldexp;
    default: return std::nullopt;
    }
}

std::optional<Opcode> choice_of(Id id) {
    switch (id) {
    case llvm::Intrinsic::smax: return Opcode::smax32;
    case llvm::Intrinsic::smin: return Opcode::smin32;
    case llvm::Intrinsic::umax: return Opcode::umax32;
    case llvm::Intrinsic::umin: return Opcode::umin32;
    default: return std::nullopt;
    }
}

std::optional<Opcode> float_choice_of(Id id) {
    switch (id) {
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::maximum: return Opcode::fmax32;
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::minimum: return Opcode::fmin32;
    default: return std::nullopt;
    }
}

// Leading zeros are counted in the row, which may be wider than the number.
Register leading_zeros(Body& body, unsigned bits, Register a) {
    const Register all = body.compute(by_width(Opcode::clz32, a.rows), 1, a);
    const unsigned extra = 32U * a.rows - bits;
    return extra == 0 ? all : body.compute(Opcode::sub32, 1, all, body.constant(extra));
}

Register trailing_zeros(Body& body, unsigned bits, Register a) {
    if (bits < 32U * a.rows) // a one bit above the number ends the count
        a = body.compute(by_width(Opcode::or32, a.rows), a.rows, a, body.constant(1ULL << bits, a.rows));
    return body.compute(by_width(Opcode::ctz32, a.rows), 1, a);
}

Register reversed(Body& body, unsigned bits, Register a) {
    const Register all = body.compute(by_width(Opcode::brev32, a.rows), a.rows, a);
    const unsigned extra = 32U * a.rows - bits;
    return extra == 0 ? all : body.compute(by_width(Opcode::lshr32, a.rows), a.rows, all, body.constant(extra, a.rows));
}

Register swapped_bytes(Body& body, unsigned bits, Register a) {
    if (bits == 16) // bytes 1, 0 and two zeros
        return body.compute(Opcode::prmt, 1, a, body.constant(0), body.constant(0x7701));
    if (a.rows == 1) return body.compute(Opcode::prmt, 1, a, body.constant(0), body.constant(0x0123));
    const std::vector<Register> halves = repack(body, a, 64, 32);
    const Register swap = body.constant(0x0123), zero = body.constant(0);
    return repack(body,
                  {body.compute(Opcode::prmt, 1, halves[1], zero, swap),
                   body.compute(Opcode::prmt, 1, halves[0], zero, swap)},
                  32, 64)
        .front();
}

// fshl, fshr: a and b concatenated, shifted.
Register funnel(Body& body, bool left, unsigned bits, Register a, Register b, Register by) {
    const Opcode shl = by_width(Opcode::shl32, a.rows), lshr = by_width(Opcode::lshr32, a.rows);
    const Register width = body.constant(bits, a.rows);
    by = body.compute(by_width(Opcode::urem32, a.rows), a.rows, by, width);
    const Register rest = body.compute(by_width(Opcode::sub32, a.rows), a.rows, width, by);
    Register high = body.compute(shl, a.rows, a, left ? by : rest);
    Register low = body.compute(lshr, a.rows, b, left ? rest : by);
    low.tag = 0; // joins bits, combines nothing
    return body.keep_low(body.compute(by_width(Opcode::or32, a.rows), a.rows, high, low), bits);
}

// For 64 bits, where there is no wider type: from the bits of the operands and the result.
void overflow64(Body& body, const llvm::CallBase& call, unsigned opcode, bool is_signed) {
    const Register a = body.of(call.getArgOperand(0)), b = body.of(call.getArgOperand(1));
    const Register result = integer_operation(body, opcode, 64, a, b), zero = body.constant(0, 2);
    const bool adds = opcode == llvm::Instruction::Add;
    const auto told = [&](llvm::CmpInst::Predicate predicate, Register left, Register right) {
        body.set(&call, 0, result);
        body.set(&call, 1, compare(body, predicate, llvm::Type::getInt64Ty(call.getContext()), left, right));
    };
    if (opcode == llvm::Instruction::Mul) {
        const Register high = body.compute(is_signed ? Opcode::smulhi64 : Opcode::umulhi64, 2, a, b);
        return told(llvm::CmpInst::ICMP_NE, high,
                    is_signed ? body.compute(Opcode::ashr64, 2, result, body.constant(63, 2)) : zero);
    }
    if (!is_signed) return told(llvm::CmpInst::ICMP_ULT, adds ? result : a, adds ? a : b);
    const Register changed = body.compute(Opcode::xor64, 2, a, result);
    const Register differs = adds ? body.compute(Opcode::xor64, 2, b, result) : body.compute(Opcode::xor64, 2, a, b);
    told(llvm::CmpInst::ICMP_SLT, body.compute(Opcode::and64, 2, changed, differs), zero);
}

void overflow(Body& body, const llvm::CallBase& call, unsigned opcode, bool is_signed) {
    const llvm::Value *x = call.getArgOperand(0), *y = call.getArgOperand(1);
    const unsigned bits = bits_of(x->getType());
    if (bits == 64) return overflow64(body, call, opcode, is_signed);
    if (bits != 32) return body.trap("overflow-checked arithmetic on other than 32 or 64 bits");
    const auto extend = is_signed ? Opcode::sext64 : Opcode::zext64;
    const Register sum =
        integer_operation(body, opcode, 64, body.compute(extend, 2, body.of(x)), body.compute(extend, 2, body.of(y)));
    const Register result = body.resize(sum, 1);
    body.set(&call, 0, result);
    body.set(&call, 1,
             compare(body, llvm::CmpInst::ICMP_NE, llvm::Type::getInt64Ty(call.getContext()), sum,
                     body.compute(extend, 2, result)));
}

Register scalar_intrinsic(Body& body, const llvm::CallBase& call, Id id, std::size_t i, bool& did) {
    const auto arg = [&](unsigned k) {
        const llvm::Value* value = call.getArgOperand(k);
        return body.of(value, body.count(value) > 1 ? i : 0);
    };
    const llvm::Type* type = body.type_of(&call, i);
    const unsigned bits = bits_of(type);
    const auto count_of = [&](Register counted) { return body.resize(counted, rows_of(type)); };
    if (const auto f = function_of(id))
        return float_function(body, *f, type, arg(0), call.arg_size() > 1 ? arg(1) : Register{});
    if (const auto op = choice_of(id)) return integer_choice(body, *op, bits, arg(0), arg(1));
    if (const auto op = float_choice_of(id)) return float_operation(body, *op, type, arg(0), arg(1));
    switch (id) {
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fmuladd: return multiply_add(body, type, arg(0), arg(1), arg(2));
    case llvm::Intrinsic::powi: {
        const Register power = cast(body, llvm::Instruction::SIToFP, call.getArgOperand(1)->getType(), type, arg(1));
        return float_function(body, Function::pow, type, arg(0), power);
    }
    case llvm::Intrinsic::abs: return absolute(body, type, arg(0));
    case llvm::Intrinsic::ctpop:
        if (const Register flags = emit_count_of_flags(body, call); flags.row != kNone) return count_of(flags);
        return count_of(body.compute(by_width(Opcode::popc32, arg(0).rows), 1, arg(0)));
    case llvm::Intrinsic::ctlz: return count_of(leading_zeros(body, bits, arg(0)));
    case llvm::Intrinsic::cttz: return count_of(trailing_zeros(body, bits, arg(0)));
    case llvm::Intrinsic::bitreverse: return reversed(body, bits, arg(0));
    case llvm::Intrinsic::bswap: return swapped_bytes(body, bits, arg(0));
    case llvm::Intrinsic::fshl: return funnel(body, true, bits, arg(0), arg(1), arg(2));
    case llvm::Intrinsic::fshr: return funnel(body, false, bits, arg(0), arg(1), arg(2));
    case llvm::Intrinsic::expect:
    case llvm::Intrinsic::expect_with_probability:
    case llvm::Intrinsic::ssa_copy:
    case llvm::Intrinsic::launder_invariant_group:
    case llvm::Intrinsic::strip_invariant_group:
    case llvm::Intrinsic::ptrmask:
    case llvm::Intrinsic::canonicalize:
    case llvm::Intrinsic::arithmetic_fence:
        if (id == llvm::Intrinsic::ptrmask) return body.compute(Opcode::and64, 2, arg(0), arg(1));
        return arg(0);
    case llvm::Intrinsic::is_constant: return body.constant(0);
    default: did = false; return {};
    }
}

} // namespace

bool lower_intrinsic(Body& body, const llvm::CallBase& call) {
    const Id id = call.getIntrinsicID();
    switch (id) {
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::donothing:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
    case llvm::Intrinsic::invariant_start:
    case llvm::Intrinsic::invariant_end:
    case llvm::Intrinsic::prefetch:
    case llvm::Intrinsic::var_annotation:
    case llvm::Intrinsic::sideeffect: return true;
    case llvm::Intrinsic::trap:
    case llvm::Intrinsic::ubsantrap: body.trap("__trap()"); return true;
    case llvm::Intrinsic::debugtrap: return true;
    case llvm::Intrinsic::memcpy:
    case llvm::Intrinsic::memcpy_inline:
    case llvm::Intrinsic::memmove: lower_copy(body, llvm::cast<llvm::MemTransferInst>(call)); return true;
    case llvm::Intrinsic::memset:
    case llvm::Intrinsic::memset_inline: lower_fill(body, llvm::cast<llvm::MemSetInst>(call)); return true;
    case llvm::Intrinsic::uadd_with_overflow: overflow(body, call, llvm::Instruction::Add, false); return true;
    case llvm::Intrinsic::usub_with_overflow: overflow(body, call, llvm::Instruction::Sub, false); return true;
    case llvm::Intrinsic::umul_with_overflow: overflow(body, call, llvm::Instruction::Mul, false); return true;
    case llvm::Intrinsic::sadd_with_overflow: overflow(body, call, llvm::Instruction::Add, true); return true;
    case llvm::Intrinsic::ssub_with_overflow: overflow(body, call, llvm::Instruction::Sub, true); return true;
    case llvm::Intrinsic::smul_with_overflow: overflow(body, call, llvm::Instruction::Mul, true); return true;
    case llvm::Intrinsic::readcyclecounter: body.set(&call, body.special(Special::clock64)); return true;
    case llvm::Intrinsic::objectsize: body.set(&call, body.constant(~0ULL, rows_of(call.getType()))); return true;
    default: break;
    }
    if (call.getType()->isVoidTy() || call.getType()->isAggregateType()) return false;
    for (std::size_t i = 0; i < body.count(&call); ++i) {
        bool did = true;
        const Register made = scalar_intrinsic(body, call, id, i, did);
        if (!did) return false;
        body.set(&call, i, made);
    }
    return true;
}

} // namespace warptree::compile::lowering
