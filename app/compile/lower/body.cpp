#include "app/compile/lower/body.hpp"

#include "app/compile/client/compiler.hpp"

#include <llvm/IR/Constants.h>

namespace warptree::compile::lowering {

namespace {

// An operation that makes one value from two: the operators of trees and scans.
bool combines(Opcode op) {
    switch (op) {
    case Opcode::add32:
    case Opcode::add64:
    case Opcode::sub32:
    case Opcode::sub64:
    case Opcode::mul32:
    case Opcode::mul64:
    case Opcode::udiv32:
    case Opcode::udiv64:
    case Opcode::sdiv32:
    case Opcode::sdiv64:
    case Opcode::and32:
    case Opcode::and64:
    case Opcode::or32:
    case Opcode::or64:
    case Opcode::xor32:
    case Opcode::xor64:
    case Opcode::smin32:
    case Opcode::smin64:
    case Opcode::smax32:
    case Opcode::smax64:
    case Opcode::umin32:
    case Opcode::umin64:
    case Opcode::umax32:
    case Opcode::umax64:
    case Opcode::fadd32:
    case Opcode::fadd64:
    case Opcode::fsub32:
    case Opcode::fsub64:
    case Opcode::fmul32:
    case Opcode::fmul64:
    case Opcode::fdiv32:
    case Opcode::fdiv64:
    case Opcode::fmin32:
    case Opcode::fmin64:
    case Opcode::fmax32:
    case Opcode::fmax64: return true;
    default: return false;
    }
}

} // namespace

Body::Body(Unit& u, llvm::Function& f, std::uint32_t n, Plan p)
    : unit(u), program(u.program), function(f), number(n), facts(u.combines.facts(&f)), plan(std::move(p)),
      first_number_(u.reach.first_number(&f)) {
    std::size_t count = 0;
    for (const llvm::Argument& argument : f.args()) count += this->count(&argument);
    for (const llvm::BasicBlock& block : f)
        for (const llvm::Instruction& instruction : block)
            if (!instruction.getType()->isVoidTy()) count += this->count(&instruction);
    registers_.resize(count);
}

Register Body::fresh(std::uint8_t rows, bool tagged) {
    Register made{.row = code.rows, .rows = rows};
    code.rows += rows;
    if (tagged) {
        if (code.tag_rows > 0xFFFF)
            throw CompileError("the function " + code.name + " is too long for its data flow to be tracked");
        made.tag = static_cast<std::uint16_t>(code.tag_rows++);
    }
    return made;
}

Register Body::constant(std::uint64_t bits, std::uint8_t rows) {
    Register& known = constants_[{bits, rows}];
    if (known.row == kNone) {
        known = fresh(rows);
        code.constants.push_back({known.row, rows, bits});
    }
    return known;
}

Register& Body::slot(const llvm::Value* value, std::size_t scalar) {
    return registers_[unit.reach.number(value) - first_number_ + scalar];
}

bool Body::has(const llvm::Value* value) const {
    if (llvm::isa<llvm::Constant>(value)) return true;
    const std::uint32_t at = unit.reach.number(value);
    return at != kNone && at - first_number_ < registers_.size() && registers_[at - first_number_].row != kNone;
}

Register Body::of(const llvm::Value* value, std::size_t scalar) {
    auto* constant = llvm::dyn_cast<llvm::Constant>(value);
    if (constant == nullptr) {
        const Register found = slot(value, scalar);
        // Only in unreachable code may a use precede its definition.
        return found.row == kNone ? this->constant(0, rows_of(type_of(value, scalar))) : found;
    }
    const std::uint8_t rows = rows_of(type_of(value, scalar));
    while (constant->getType()->isAggregateType() || constant->getType()->isVectorTy()) {
        llvm::Type* type = constant->getType();
        unsigned index = 0;
        for (;; ++index) {
            llvm::Type* element = type->isStructTy() ? type->getStructElementType(index) : type->getContainedType(0);
            const std::size_t inside = unit.types.count(element);
            if (scalar < inside) break;
            scalar -= inside;
        }
        const llvm::Constant* element = constant->getAggregateElement(index);
        if (element == nullptr) return this->constant(0, rows);
        constant = element;
    }
    return this->constant(unit.bits(constant), rows);
}

void Body::set(const llvm::Value* value, std::size_t scalar, Register to) { slot(value, scalar) = to; }

void Body::define(const llvm::Value* value) {
    for (std::size_t i = 0; i < count(value); ++i)
        set(value, i, fresh(rows_of(type_of(value, i)), unit.elements.is(value, i)));
}

Register Body::side_by_side(llvm::ArrayRef<Register> values) {
    bool together = true, tagged = false;
    for (std::size_t i = 1; i < values.size(); ++i)
        together &= values[i].row == values[i - 1].row + values[i - 1].rows &&
                    values[i].tag == (values[0].tag == 0 ? 0 : values[0].tag + i);
    if (together) return values.front();
    for (const Register& value : values) tagged |= value.tag != 0;
    llvm::SmallVector<Register, 4> copies;
    for (const Register& value : values) copies.push_back(fresh(value.rows, tagged));
    for (std::size_t i = 0; i < values.size(); ++i) {
        Instruction& move = emit(values[i].rows == 2 ? Opcode::mov64 : Opcode::mov32);
        move.dst = copies[i].row;
        move.tag_dst = copies[i].tag;
        move.a = values[i].row;
        move.tag_a = values[i].tag;
    }
    return copies.front();
}

Instruction& Body::emit(Opcode op) {
    Instruction& made = code.code.emplace_back();
    made.op = op;
    made.location = location;
    return made;
}

Register Body::compute(Opcode op, std::uint8_t rows, Register a, Register b, Register c) {
    const Register made = fresh(rows, a.tag != 0 || b.tag != 0 || c.tag != 0);
    Instruction& in = emit(op);
    in.dst = made.row;
    in.tag_dst = made.tag;
    in.a = a.row;
    in.tag_a = a.tag;
    in.b = b.row;
    in.tag_b = b.tag;
    in.c = c.row;
    in.tag_c = c.tag;
    const bool multiply_add = op == Opcode::fma32 || op == Opcode::fma64 || op == Opcode::fma_odd64;
    if (places && combines(op) && a.tag != 0 && b.tag != 0) {
        in.flags = kPlace;
    } else if (multiply_add ? (a.tag != 0 || b.tag != 0) && c.tag != 0
                            : combines(op) && !maps && a.tag != 0 && b.tag != 0) {
        in.flags = kCombines | stage;
        in.type = combine_type;
    }
    return made;
}

Register Body::compute_with(Opcode op, std::uint8_t rows, Register a, std::uint32_t number) {
    const Register made = fresh(rows, a.tag != 0);
    Instruction& in = emit(op);
    in.dst = made.row;
    in.tag_dst = made.tag;
    in.a = a.row;
    in.tag_a = a.tag;
    (op == Opcode::keep_low || op == Opcode::sign_low ? in.b : in.c) = number;
    return made;
}

Register Body::special(Special which) {
    const bool wide = which == Special::clock64 || which == Special::timer;
    const Register made = fresh(wide ? 2 : 1);
    Instruction& in = emit(Opcode::special);
    in.dst = made.row;
    in.c = static_cast<std::uint32_t>(which);
    return made;
}

Register Body::keep_low(Register a, unsigned bits) {
    if (bits >= 32U * a.rows) return a;
    if (a.rows == 1) return compute_with(Opcode::keep_low, 1, a, bits);
    return compute(Opcode::and64, 2, a, constant((1ULL << bits) - 1, 2));
}

Register Body::sign_low(Register a, unsigned bits) {
    if (bits >= 32U * a.rows) return a;
    if (a.rows == 1) return compute_with(Opcode::sign_low, 1, a, bits);
    const Register by = constant(64 - bits, 2);
    return compute(Opcode::ashr64, 2, compute(Opcode::shl64, 2, a, by), by);
}

Register Body::resize(Register a, std::uint8_t rows) {
    if (a.rows == rows) return a;
    return compute(rows == 2 ? Opcode::zext64 : Opcode::trunc32, rows, a);
}

Register Body::if_else(Register condition, Register then, Register otherwise) {
    condition.tag = 0; // the condition is not a value made of elements
    return compute(then.rows == 2 ? Opcode::select64 : Opcode::select32, then.rows, then, otherwise, condition);
}

std::uint32_t Body::selection_of(const Choice& choice, const llvm::Instruction& at, ValueType follower) {
    const llvm::CmpInst& comparison = *choice.comparison;
    const bool by_value = choice.x != nullptr;
    const llvm::Value *x = by_value ? choice.x : comparison.getOperand(0),
                      *y = by_value ? choice.y : comparison.getOperand(1);
    const Register a = of(x), b = of(y);
    std::uint32_t place = unit.locations.of(at.getDebugLoc().get());
    if (place == 0) place = unit.locations.of(comparison.getDebugLoc().get());
    const bool step = plan.steps.contains(choice.at);
    const std::uint16_t way = !choice.greatest ? 0 : *choice.greatest ? kGreatest : kLeast;
    return Unit::add(program.selections,
                     Selection{.condition = by_value ? kNone : of(&comparison).row,
                               .tag_x = a.tag,
                               .tag_y = b.tag,
                               .x = a.row,
                               .y = b.row,
                               .greater = choice.greater,
                               .type = value_type(x->getType(), comparison.isFPPredicate() || comparison.isSigned()),
                               .flags = static_cast<std::uint16_t>(way | (step ? kCombines | kStage : kCombines)),
                               .location = place,
                               .follows = choice.follows ? follower : ValueType::none});
}

void Body::trap(const std::string& why) {
    if (ended) return;
    emit(Opcode::trap).c = Unit::add(program.texts, why);
    ended = true;
}

} // namespace warptree::compile::lowering
