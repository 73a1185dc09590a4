// Inline assembly that computes.
#include "app/compile/lower/assembly.hpp"

#include <llvm/ADT/StringSwitch.h>

namespace warptree::compile::lowering {

bool Assembly::arithmetic(const ptx::Statement& s, const ptx::Type& type) {
    const auto arg = [&](unsigned k) { return read(s.operands[k], type); };
    const llvm::Type* as = llvm_type(type);
    if (s.operands.size() < 2) return false;
    const auto function = llvm::StringSwitch<std::optional<Function>>(s.op())
                              .Case("sqrt", Function::sqrt)
                              .Case("rsqrt", Function::rsqrt)
                              .Case("rcp", Function::reciprocal)
                              .Case("ex2", Function::exp2)
                              .Case("lg2", Function::log2)
                              .Case("sin", Function::sin)
                              .Case("cos", Function::cos)
                              .Case("tanh", Function::tanh)
                              .Default(std::nullopt);
    if (function && type.floating()) {
        write(s.operands[0], type, float_function(body_, *function, as, arg(1)));
        return true;
    }
    if (s.op() == "abs" || s.op() == "neg") {
        Register made;
        if (type.floating())
            made = s.op() == "abs" ? float_function(body_, Function::abs, as, arg(1)) : negate(body_, as, arg(1));
        else
            made = s.op() == "abs" ? absolute(body_, as, arg(1))
                                   : integer_operation(body_, llvm::Instruction::Sub, type.bits,
                                                       body_.constant(0, type.rows()), arg(1));
        write(s.operands[0], type, made);
        return true;
    }
    if (s.operands.size() < 3) return false;
    if (s.op() == "fma" && s.operands.size() == 4) {
        write(s.operands[0], type, multiply_add(body_, as, arg(1), arg(2), arg(3)));
        return true;
    }
    if (type.floating()) {
        const auto op = llvm::StringSwitch<std::optional<Opcode>>(s.op())
                            .Case("add", Opcode::fadd32)
                            .Case("sub", Opcode::fsub32)
                            .Case("mul", Opcode::fmul32)
                            .Case("div", Opcode::fdiv32)
                            .Case("min", Opcode::fmin32)
                            .Case("max", Opcode::fmax32)
                            .Default(std::nullopt);
        if (!op) return false;
        write(s.operands[0], type, float_operation(body_, *op, as, arg(1), arg(2)));
        return true;
    }
    if (s.op() == "min" || s.op() == "max") {
        const Opcode least = type.is_signed() ? Opcode::smin32 : Opcode::umin32;
        const Opcode most = type.is_signed() ? Opcode::smax32 : Opcode::umax32;
        write(s.operands[0], type, integer_choice(body_, s.op() == "min" ? least : most, type.bits, arg(1), arg(2)));
        return true;
    }
    if (s.has("cc") || s.has("sat")) return false;
    const auto op = llvm::StringSwitch<unsigned>(s.op())
                        .Case("add", llvm::Instruction::Add)
                        .Case("sub", llvm::Instruction::Sub)
                        .Case("div", type.is_signed() ? llvm::Instruction::SDiv : llvm::Instruction::UDiv)
                        .Case("rem", type.is_signed() ? llvm::Instruction::SRem : llvm::Instruction::URem)
                        .Default(0);
    if (op == 0) return false;
    write(s.operands[0], type, integer_operation(body_, op, type.bits, arg(1), arg(2)));
    return true;
}

bool Assembly::multiply(const ptx::Statement& s, const ptx::Type& type) {
    const bool adds = s.op() == "mad", is_24 = s.op() == "mul24" || s.op() == "mad24";
    if ((s.op() != "mul" && !adds && !is_24) || type.floating() || s.has("cc") || s.operands.size() < 3) return false;
    Register a = read(s.operands[1], type), b = read(s.operands[2], type), made;
    ptx::Type result = type;
    if (is_24) {
        a = type.is_signed() ? body_.sign_low(a, 24) : body_.keep_low(a, 24);
        b = type.is_signed() ? body_.sign_low(b, 24) : body_.keep_low(b, 24);
    }
    if (s.has("wide")) {
        result.bits = 2 * type.bits;
        const auto op = type.is_signed() ? llvm::Instruction::SExt : llvm::Instruction::ZExt;
        a = cast(body_, op, llvm_type(type), llvm_type(result), a);
        b = cast(body_, op, llvm_type(type), llvm_type(result), b);
        made = integer_operation(body_, llvm::Instruction::Mul, result.bits, a, b);
    } else if (s.has("hi") && type.bits >= 32) {
        made = body_.compute(by_width(type.is_signed() ? Opcode::smulhi32 : Opcode::umulhi32, type.rows()), type.rows(),
                             a, b);
    } else {
        made = integer_operation(body_, llvm::Instruction::Mul, type.bits, a, b);
    }
    if (s.operands.size() == 4)
        made = integer_operation(body_, llvm::Instruction::Add, result.bits, made, read(s.operands[3], result));
    write(s.operands[0], result, made);
    return true;
}

bool Assembly::bit_operation(const ptx::Statement& s, const ptx::Type& type) {
    const ptx::Type word{ptx::Type::Kind::bits, 32};
    const std::uint8_t rows = type.rows();
    const auto arg = [&](unsigned k) { return read(s.operands[k], type); };
    const auto number = [&](unsigned k) { return read(s.operands[k], word); };
    const auto compute = [&](Opcode op32, Register a, Register b) {
        return body_.compute(by_width(op32, rows), rows, a, b);
    };
    if (s.operands.size() < 2) return false;
    const auto set = [&](Register made, const ptx::Type& as) {
        write(s.operands[0], as, made);
        return true;
    };
    const auto op = llvm::StringSwitch<unsigned>(s.op())
                        .Case("and", llvm::Instruction::And)
                        .Case("or", llvm::Instruction::Or)
                        .Case("xor", llvm::Instruction::Xor)
                        .Case("shl", llvm::Instruction::Shl)
                        .Case("shr", type.is_signed() ? llvm::Instruction::AShr : llvm::Instruction::LShr)
                        .Default(0);
    const bool shift = s.op() == "shl" || s.op() == "shr";
    if (op != 0 && s.operands.size() == 3)
        return set(integer_operation(body_, op, type.bits, arg(1), shift ? body_.resize(number(2), rows) : arg(2)),
                   type);
    if (s.op() == "not")
        return set(fitted(compute(Opcode::xor32, arg(1), body_.constant(~0ULL >> (64 - 32 * rows), rows)), type), type);
    if (s.op() == "popc") return set(body_.compute(by_width(Opcode::popc32, rows), 1, arg(1)), word);
    if (s.op() == "clz") return set(body_.compute(by_width(Opcode::clz32, rows), 1, arg(1)), word);
    if (s.op() == "brev") return set(body_.compute(by_width(Opcode::brev32, rows), rows, arg(1)), type);
    if (s.op() == "bfind") { // the highest bit that is set, of a negative number the highest that is not; without: ~0
        const Register msb = body_.constant(32U * rows - 1);
        const Register signs = compute(Opcode::ashr32, arg(1), body_.resize(msb, rows));
        const Register bits = type.is_signed() ? compute(Opcode::xor32, arg(1), signs) : arg(1);
        const Register zeros = body_.compute(by_width(Opcode::clz32, rows), 1, bits);
        const Register place = body_.compute(Opcode::sub32, 1, msb, zeros);
        if (!s.has("shiftamt")) return set(place, word);
        const Register none = body_.compute(Opcode::ashr32, 1, place, body_.constant(31));
        return set(body_.compute(Opcode::or32, 1, zeros, none), word);
    }
    if (s.operands.size() < 4) return false;
    if (s.op() == "prmt" && s.words.size() == 2)
        return set(body_.compute(Opcode::prmt, 1, arg(1), arg(2), arg(3)), type);
    const auto low_byte = [&](unsigned k) { return body_.compute(Opcode::and32, 1, number(k), body_.constant(0xFF)); };
    if (s.op() == "bfe") { // `length` bits from bit `at` on, sign-extended if the type is signed; 0 bits are 0
        const Register all = body_.constant(32U * rows), at = low_byte(2), length = low_byte(3);
        const Register end = body_.compute(Opcode::umin32, 1, all, body_.compute(Opcode::add32, 1, at, length));
        const Register above = body_.compute(Opcode::sub32, 1, all, end);
        const Register any = body_.resize(body_.compute(Opcode::umin32, 1, length, body_.constant(1)), rows);
        const Register mask = compute(Opcode::sub32, body_.constant(0, rows), any); // all ones, or 0 for no bits
        const Register left = compute(Opcode::shl32, compute(Opcode::and32, arg(1), mask), body_.resize(above, rows));
        const Register back = body_.resize(body_.compute(Opcode::add32, 1, above, at), rows);
        return set(compute(type.is_signed() ? Opcode::ashr32 : Opcode::lshr32, left, back), type);
    }
    if (s.op() == "bfi" && s.operands.size() == 5) { // a's low bits inserted into b
        const Register one = body_.constant(1, rows), length = body_.resize(low_byte(4), rows),
                       at = body_.resize(low_byte(3), rows);
        const Register ones = compute(Opcode::sub32, compute(Opcode::shl32, one, length), one);
        const Register mask = compute(Opcode::shl32, ones, at);
        const Register kept = compute(Opcode::and32, arg(2),
                                      compute(Opcode::xor32, mask, body_.constant(~0ULL >> (64 - 32 * rows), rows)));
        Register put = compute(Opcode::and32, compute(Opcode::shl32, arg(1), at), mask);
        put.tag = 0; // joins bits, combines nothing
        return set(compute(Opcode::or32, kept, put), type);
    }
    const auto truth = s.operands.size() == 5 ? immediate(s.operands[4]) : std::nullopt;
    if (s.op() == "lop3" && truth) {
        const Register in[] = {arg(1), arg(2), arg(3)}, all = body_.constant(0xFFFFFFFF);
        Register made = body_.constant(0);
        for (unsigned row = 0; row < 8; ++row) { // of the truth table: a is bit 2, b 1, c 0
            if ((*truth >> row & 1) == 0) continue;
            Register term = all;
            for (unsigned k = 0; k < 3; ++k) {
                const Register bit = (row >> (2 - k) & 1) != 0 ? in[k] : body_.compute(Opcode::xor32, 1, in[k], all);
                term = body_.compute(Opcode::and32, 1, term, bit);
            }
            made = body_.compute(Opcode::or32, 1, made, term);
        }
        return set(made, type);
    }
    if (s.op() == "shf") { // funnel shift: two words as one
        Register by = number(3);
        by = s.has("wrap") ? body_.compute(Opcode::and32, 1, by, body_.constant(31))
                           : body_.compute(Opcode::umin32, 1, by, body_.constant(32));
        Register both = repack(body_, {read(s.operands[1], word), read(s.operands[2], word)}, 32, 64).front();
        const bool left = s.has("l");
        both = body_.compute(left ? Opcode::shl64 : Opcode::lshr64, 2, both, body_.resize(by, 2));
        return set(repack(body_, both, 64, 32)[left ? 1 : 0], word);
    }
    return false;
}

bool Assembly::conversion(const ptx::Statement& s, const ptx::Type& type) {
    if (s.operands.size() != 2) return false;
    if (s.op() == "mov") {
        const ptx::Operand &to = s.operands[0], &from = s.operands[1];
        if (to.kind == ptx::Operand::Kind::list) { // mov.b64 {a, b}, c
            const unsigned each = type.bits / static_cast<unsigned>(to.names.size());
            const auto parts = repack(body_, read(from, type), type.bits, each);
            for (std::size_t i = 0; i < to.names.size(); ++i)
                write(to.names[i], {ptx::Type::Kind::bits, each}, parts[i]);
        } else if (from.kind == ptx::Operand::Kind::list) {
            const ptx::Type each{ptx::Type::Kind::bits, type.bits / static_cast<unsigned>(from.names.size())};
            std::vector<Register> parts;
            for (const std::string& name : from.names) parts.push_back(read(name, each));
            write(to, type, repack(body_, parts, each.bits, type.bits).front());
        } else if (type.kind == ptx::Type::Kind::predicate) {
            write(to, type, predicate(from));
        } else {
            write(to, type, read(from, type));
        }
        return true;
    }
    if (s.op() == "cvta") { // the machine's addresses are generic; shared ones may have 32 bits
        const bool to_space = s.has("to");
        Register value = read(s.operands[1], type);
        if (!to_space && (s.has("shared") || s.has("shared::cta")))
            value =
                body_.compute(Opcode::or64, 2, body_.resize(body_.resize(value, 1), 2), body_.constant(kSharedBase, 2));
        write(s.operands[0], type, value);
        return true;
    }
    if (s.op() == "isspacep") return false;
    if (s.op() != "cvt") return false;
    std::vector<ptx::Type> types;
    for (const std::string& word : s.words)
        if (const auto found = ptx::type_of(word)) types.push_back(*found);
    if (types.size() != 2 || s.has("sat")) return false;
    const ptx::Type to = types[0], from = types[1];
    Register value = read(s.operands[1], from);
    const llvm::Type *to_type = llvm_type(to), *from_type = llvm_type(from);
    if (to.floating() && from.floating() && (s.has("rni") || s.has("rzi") || s.has("rmi") || s.has("rpi"))) {
        value = float_function(body_,
                               s.has("rni")   ? Function::rint
                               : s.has("rzi") ? Function::trunc
                               : s.has("rmi") ? Function::floor
                                              : Function::ceil,
                               from_type, value);
        value = cast(body_, llvm::Instruction::FPTrunc, from_type, to_type, value);
    } else if (to.floating()) {
        value = cast(body_,
                     from.floating()    ? llvm::Instruction::FPTrunc
                     : from.is_signed() ? llvm::Instruction::SIToFP
                                        : llvm::Instruction::UIToFP,
                     from_type, to_type, value);
    } else if (from.floating()) {
        if (s.has("rni")) value = float_function(body_, Function::rint, from_type, value);
        if (s.has("rmi")) value = float_function(body_, Function::floor, from_type, value);
        if (s.has("rpi")) value = float_function(body_, Function::ceil, from_type, value);
        value = cast(body_, to.is_signed() ? llvm::Instruction::FPToSI : llvm::Instruction::FPToUI, from_type, to_type,
                     value);
    } else {
        const auto op = to.bits <= from.bits ? llvm::Instruction::Trunc
                        : from.is_signed()   ? llvm::Instruction::SExt
                                             : llvm::Instruction::ZExt;
        value = cast(body_, op, from_type, to_type, fitted(value, from));
    }
    write(s.operands[0], to, value);
    return true;
}

bool Assembly::comparison(const ptx::Statement& s, const ptx::Type& type) {
    if (s.op() == "selp" && s.operands.size() == 4) {
        write(s.operands[0], type,
              body_.if_else(predicate(s.operands[3]), read(s.operands[1], type), read(s.operands[2], type)));
        return true;
    }
    if (s.op() != "setp" || s.operands.size() != 3) return false;
    using P = llvm::CmpInst::Predicate;
    const bool f = type.floating(), is_signed = type.is_signed();
    const llvm::StringRef how = s.word(1);
    const auto which = llvm::StringSwitch<P>(how)
                           .Case("eq", f ? P::FCMP_OEQ : P::ICMP_EQ)
                           .Case("ne", f ? P::FCMP_ONE : P::ICMP_NE)
                           .Cases("lt", "lo",
                                  f           ? P::FCMP_OLT
                                  : is_signed ? P::ICMP_SLT
                                              : P::ICMP_ULT)
                           .Cases("le", "ls",
                                  f           ? P::FCMP_OLE
                                  : is_signed ? P::ICMP_SLE
                                              : P::ICMP_ULE)
                           .Cases("gt", "hi",
                                  f           ? P::FCMP_OGT
                                  : is_signed ? P::ICMP_SGT
                                              : P::ICMP_UGT)
                           .Cases("ge", "hs",
                                  f           ? P::FCMP_OGE
                                  : is_signed ? P::ICMP_SGE
                                              : P::ICMP_UGE)
                           .Default(P::BAD_ICMP_PREDICATE);
    if (which == P::BAD_ICMP_PREDICATE || !ptx::type_of(s.word(2))) return false;
    const Register answer =
        compare(body_, which, llvm_type(type), read(s.operands[1], type), read(s.operands[2], type));
    const ptx::Type truth{ptx::Type::Kind::predicate, 1};
    write(s.operands[0].name, truth, answer);
    if (!s.operands[0].second.empty())
        write(s.operands[0].second, truth, body_.compute(Opcode::xor32, 1, answer, body_.constant(1)));
    return true;
}

} // namespace warptree::compile::lowering
