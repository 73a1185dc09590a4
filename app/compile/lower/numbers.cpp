#include "app/compile/lower/numbers.hpp"

namespace warptree::compile::lowering {

bool has_row(const llvm::Type* type) {
    if (type->isIntegerTy()) return type->getIntegerBitWidth() <= 64;
    return type->isPointerTy() || type->isHalfTy() || type->isBFloatTy() || type->isFloatTy() || type->isDoubleTy();
}

Register widen(Body& body, const llvm::Type* type, Register a) {
    if (type->isHalfTy()) return body.compute(Opcode::f16_to_f32, 1, a);
    if (type->isBFloatTy()) return body.compute(Opcode::shl32, 1, a, body.constant(16));
    return a;
}

Register rounded(Body& body, const llvm::Type* type, Register a) {
    const bool is_double = a.rows == 2;
    if (type->isHalfTy()) return body.compute(is_double ? Opcode::f64_to_f16 : Opcode::f32_to_f16, 1, a);
    if (type->isBFloatTy()) return body.compute(is_double ? Opcode::f64_to_bf16 : Opcode::f32_to_bf16, 1, a);
    return a;
}

Register integer_choice(Body& body, Opcode op32, unsigned bits, Register a, Register b) {
    const bool is_signed = op32 == Opcode::smin32 || op32 == Opcode::smax32;
    if (is_signed) {
        a = body.sign_low(a, bits);
        b = body.sign_low(b, bits);
    }
    const Register made = body.compute(by_width(op32, a.rows), a.rows, a, b);
    return is_signed ? body.keep_low(made, bits) : made;
}

Register integer_operation(Body& body, unsigned llvm_opcode, unsigned bits, Register a, Register b) {
    Opcode op = Opcode::add32;
    bool is_signed = false, overflows = false; // into the bits above `bits`
    switch (llvm_opcode) {
    case llvm::Instruction::Add: overflows = true; break;
    case llvm::Instruction::Sub:
        op = Opcode::sub32;
        overflows = true;
        break;
    case llvm::Instruction::Mul:
        op = Opcode::mul32;
        overflows = true;
        break;
    case llvm::Instruction::Shl:
        op = Opcode::shl32;
        overflows = true;
        break;
    case llvm::Instruction::UDiv:
        op = Opcode::udiv32;
        overflows = true; // by zero
        break;
    case llvm::Instruction::URem: op = Opcode::urem32; break;
    case llvm::Instruction::SDiv:
        op = Opcode::sdiv32;
        is_signed = true;
        break;
    case llvm::Instruction::SRem:
        op = Opcode::srem32;
        is_signed = true;
        break;
    case llvm::Instruction::LShr: op = Opcode::lshr32; break;
    case llvm::Instruction::AShr:
        op = Opcode::ashr32;
        is_signed = true;
        break;
    case llvm::Instruction::And: op = Opcode::and32; break;
    case llvm::Instruction::Or: op = Opcode::or32; break;
    case llvm::Instruction::Xor: op = Opcode::xor32; break;
    default: break;
    }
    if (is_signed) {
        a = body.sign_low(a, bits);
        if (op != Opcode::ashr32) b = body.sign_low(b, bits);
    }
    const Register made = body.compute(by_width(op, a.rows), a.rows, a, b);
    return is_signed || overflows ? body.keep_low(made, bits) : made;
}

Register float_operation(Body& body, Opcode op32, const llvm::Type* type, Register a, Register b) {
    const Register x = widen(body, type, a), y = widen(body, type, b);
    return rounded(body, type, body.compute(by_width(op32, x.rows), x.rows, x, y));
}

Register float_function(Body& body, Function f, const llvm::Type* type, Register a, Register b) {
    Register x = widen(body, type, a), y = b;
    if (b.row != kNone && f != Function::ldexp) y = widen(body, type, b);
    const Register made = body.fresh(x.rows, x.tag != 0 || y.tag != 0);
    Instruction& in = body.emit(by_width(Opcode::math32, x.rows));
    in.dst = made.row;
    in.tag_dst = made.tag;
    in.a = x.row;
    in.tag_a = x.tag;
    in.b = y.row;
    in.tag_b = y.tag;
    in.c = static_cast<std::uint32_t>(f);
    return rounded(body, type, made);
}

Register multiply_add(Body& body, const llvm::Type* type, Register a, Register b, Register c) {
    const Register x = widen(body, type, a), y = widen(body, type, b), z = widen(body, type, c);
    if (bits_of(type) > 16) return body.compute(by_width(Opcode::fma32, x.rows), x.rows, x, y, z);
    const auto doubled = [&](Register of) { return body.compute(Opcode::f32_to_f64, 2, of); };
    return rounded(body, type, body.compute(Opcode::fma_odd64, 2, doubled(x), doubled(y), doubled(z)));
}

Register negate(Body& body, const llvm::Type* type, Register a) {
    if (bits_of(type) == 16) return body.compute(Opcode::xor32, 1, a, body.constant(0x8000));
    return body.compute(by_width(Opcode::fneg32, a.rows), a.rows, a);
}

Register absolute(Body& body, const llvm::Type* type, Register a) {
    const Register zero = body.constant(0, a.rows);
    const Register below = compare(body, llvm::CmpInst::ICMP_SLT, type, a, zero);
    return body.if_else(below, integer_operation(body, llvm::Instruction::Sub, bits_of(type), zero, a), a);
}

Register compare(Body& body, llvm::CmpInst::Predicate predicate, const llvm::Type* type, Register a, Register b) {
    a.tag = b.tag = 0; // a comparison's result is not made of elements
    if (llvm::CmpInst::isFPPredicate(predicate)) {
        const Register x = widen(body, type, a), y = widen(body, type, b);
        const Register made = body.fresh(1);
        Instruction& in = body.emit(by_width(Opcode::fcmp32, x.rows));
        in.dst = made.row;
        in.a = x.row;
        in.b = y.row;
        in.c = predicate; // LLVM numbers its predicates by the same bits
        return made;
    }
    if (llvm::CmpInst::isSigned(predicate)) {
        a = body.sign_low(a, bits_of(type));
        b = body.sign_low(b, bits_of(type));
    }
    Opcode op = Opcode::eq32;
    switch (predicate) {
    case llvm::CmpInst::ICMP_NE: op = Opcode::ne32; break;
    case llvm::CmpInst::ICMP_ULT:
    case llvm::CmpInst::ICMP_UGT: op = Opcode::ult32; break;
    case llvm::CmpInst::ICMP_ULE:
    case llvm::CmpInst::ICMP_UGE: op = Opcode::ule32; break;
    case llvm::CmpInst::ICMP_SLT:
    case llvm::CmpInst::ICMP_SGT: op = Opcode::slt32; break;
    case llvm::CmpInst::ICMP_SLE:
    case llvm::CmpInst::ICMP_SGE: op = Opcode::sle32; break;
    default: break;
    }
    if (llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isGE(predicate)) std::swap(a, b);
    return body.compute(by_width(op, a.rows), 1, a, b);
}

namespace {

Register float_to_float(Body& body, const llvm::Type* from, const llvm::Type* to, Register a) {
    Register x = widen(body, from, a);
    if (to->isDoubleTy()) return x.rows == 2 ? x : body.compute(Opcode::f32_to_f64, 2, x);
    if (x.rows == 2 && to->isFloatTy()) x = body.compute(Opcode::f64_to_f32, 1, x);
    return rounded(body, to, x);
}

Register integer_to_float(Body& body, bool is_signed, const llvm::Type* from, const llvm::Type* to, Register a) {
    if (is_signed) a = body.sign_low(a, bits_of(from));
    const bool to_double = to->isDoubleTy() || to->isBFloatTy(); // float would round 32 bits, and bfloat again
    Opcode op = to_double ? Opcode::int_to_f64 : Opcode::int_to_f32;
    if (a.rows == 2) op = to_double ? Opcode::long_to_f64 : Opcode::long_to_f32;
    if (!is_signed) op = wide(op); // unsigned follows signed
    return rounded(body, to, body.compute(op, to_double ? 2 : 1, a));
}

Register float_to_integer(Body& body, bool is_signed, const llvm::Type* from, const llvm::Type* to, Register a) {
    const Register x = widen(body, from, a);
    const std::uint8_t rows = rows_of(to);
    Opcode op = x.rows == 2 ? Opcode::f64_to_int : Opcode::f32_to_int;
    if (rows == 2) op = x.rows == 2 ? Opcode::f64_to_long : Opcode::f32_to_long;
    if (!is_signed) op = wide(op);
    return body.keep_low(body.compute(op, rows, x), bits_of(to));
}

static_assert(static_cast<int>(Opcode::uint_to_f32) == static_cast<int>(Opcode::int_to_f32) + 1);
static_assert(static_cast<int>(Opcode::ulong_to_f32) == static_cast<int>(Opcode::long_to_f32) + 1);
static_assert(static_cast<int>(Opcode::uint_to_f64) == static_cast<int>(Opcode::int_to_f64) + 1);
static_assert(static_cast<int>(Opcode::ulong_to_f64) == static_cast<int>(Opcode::long_to_f64) + 1);
static_assert(static_cast<int>(Opcode::f32_to_uint) == static_cast<int>(Opcode::f32_to_int) + 1);
static_assert(static_cast<int>(Opcode::f32_to_ulong) == static_cast<int>(Opcode::f32_to_long) + 1);
static_assert(static_cast<int>(Opcode::f64_to_uint) == static_cast<int>(Opcode::f64_to_int) + 1);
static_assert(static_cast<int>(Opcode::f64_to_ulong) == static_cast<int>(Opcode::f64_to_long) + 1);
static_assert(static_cast<int>(Opcode::fmax64) == static_cast<int>(Opcode::fmax32) + 1);

} // namespace

Register cast(Body& body, llvm::Instruction::CastOps op, const llvm::Type* from, const llvm::Type* to, Register a) {
    const std::uint8_t rows = rows_of(to);
    switch (op) {
    case llvm::Instruction::Trunc: return body.keep_low(body.resize(a, rows), bits_of(to));
    case llvm::Instruction::ZExt: return body.resize(a, rows);
    case llvm::Instruction::SExt:
        a = body.sign_low(a, bits_of(from));
        if (a.rows != rows) a = body.compute(Opcode::sext64, 2, a);
        return body.keep_low(a, bits_of(to));
    case llvm::Instruction::FPExt:
    case llvm::Instruction::FPTrunc: return float_to_float(body, from, to, a);
    case llvm::Instruction::SIToFP: return integer_to_float(body, true, from, to, a);
    case llvm::Instruction::UIToFP: return integer_to_float(body, false, from, to, a);
    case llvm::Instruction::FPToSI: return float_to_integer(body, true, from, to, a);
    case llvm::Instruction::FPToUI: return float_to_integer(body, false, from, to, a);
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr: a.tag = 0; return body.keep_low(body.resize(a, rows), bits_of(to));
    default: return a; // the same bits
    }
}

std::vector<Register> repack(Body& body, llvm::ArrayRef<Register> from, unsigned from_bits, unsigned to_bits) {
    std::vector<Register> made;
    const std::uint8_t rows = to_bits > 32 ? 2 : 1;
    if (from_bits == to_bits) return {from.begin(), from.end()};
    if (from_bits > to_bits) {
        for (const Register& whole : from)
            for (unsigned at = 0; at < from_bits; at += to_bits) {
                Register part = whole;
                if (at != 0)
                    part = body.compute(by_width(Opcode::lshr32, whole.rows), whole.rows, whole,
                                        body.constant(at, whole.rows));
                made.push_back(body.keep_low(body.resize(part, rows), to_bits));
            }
        return made;
    }
    const unsigned each = to_bits / from_bits;
    for (std::size_t i = 0; i + each <= from.size(); i += each) {
        Register whole = body.resize(from[i], rows);
        for (unsigned k = 1; k < each; ++k) {
            Register part = body.resize(from[i + k], rows);
            part.tag = 0; // the first one's tag stands for all: joining bits combines nothing
            part = body.compute(by_width(Opcode::shl32, rows), rows, part, body.constant(k * from_bits, rows));
            whole = body.compute(by_width(Opcode::or32, rows), rows, whole, part);
        }
        made.push_back(whole);
    }
    return made;
}

} // namespace warptree::compile::lowering
