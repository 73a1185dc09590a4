// Instructions that compute or rearrange values, scalar by scalar.
#include "app/compile/lower/numbers.hpp"
#include "app/compile/lower/vectors.hpp"

#include <llvm/IR/Constants.h>

namespace warptree::compile::lowering {

namespace {

// Whether a choice depends on a value, of which a value that is computed beforehand may be of no use.
bool is_chosen_from(const llvm::Value& value, unsigned depth = 0) {
    constexpr unsigned kDeepest = 3;
    return depth < kDeepest && llvm::any_of(value.users(), [&](const llvm::User* user) {
               const bool logical = user->getType()->isIntOrIntVectorTy(1) && llvm::isa<llvm::BinaryOperator>(user);
               return llvm::isa<llvm::SelectInst>(user) || logical || is_chosen_from(*user, depth + 1);
           });
}

// Of an int: the front end says so of each sum, difference and product of signed numbers, an optimisation may compute it where the
// source does not.
bool must_hold(const llvm::BinaryOperator& op) {
    const auto* exact = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&op);
    return exact != nullptr && exact->hasNoSignedWrap() && op.getType()->isIntegerTy(32) &&
           op.getOpcode() != llvm::Instruction::Shl && !is_chosen_from(op);
}

void binary(Body& body, const llvm::BinaryOperator& op) {
    for (std::size_t i = 0; i < body.count(&op); ++i) {
        const Register a = body.of(op.getOperand(0), i), b = body.of(op.getOperand(1), i);
        const llvm::Type* type = body.type_of(&op, i);
        Register made;
        switch (op.getOpcode()) {
        case llvm::Instruction::FAdd: made = float_operation(body, Opcode::fadd32, type, a, b); break;
        case llvm::Instruction::FSub: made = float_operation(body, Opcode::fsub32, type, a, b); break;
        case llvm::Instruction::FMul: made = float_operation(body, Opcode::fmul32, type, a, b); break;
        case llvm::Instruction::FDiv: made = float_operation(body, Opcode::fdiv32, type, a, b); break;
        case llvm::Instruction::FRem: made = float_operation(body, Opcode::frem32, type, a, b); break;
        default: made = integer_operation(body, op.getOpcode(), bits_of(type), a, b); break;
        }
        if (must_hold(op)) body.code.code.back().flags |= kSigned;
        body.set(&op, i, made);
    }
}

void compare(Body& body, const llvm::CmpInst& cmp) {
    for (std::size_t i = 0; i < body.count(&cmp); ++i)
        body.set(&cmp, i,
                 compare(body, cmp.getPredicate(), body.type_of(cmp.getOperand(0), i), body.of(cmp.getOperand(0), i),
                         body.of(cmp.getOperand(1), i)));
}

void cast(Body& body, const llvm::CastInst& it) {
    const llvm::Value* from = it.getOperand(0);
    if (body.count(from) != body.count(&it)) { // only a bit cast of a vector changes the number
        llvm::SmallVector<Register, 8> parts;
        for (std::size_t i = 0; i < body.count(from); ++i) parts.push_back(body.of(from, i));
        const auto made = repack(body, parts, bits_of(body.type_of(from, 0)), bits_of(body.type_of(&it, 0)));
        for (std::size_t i = 0; i < made.size(); ++i) body.set(&it, i, made[i]);
        return;
    }
    for (std::size_t i = 0; i < body.count(&it); ++i)
        body.set(&it, i, cast(body, it.getOpcode(), body.type_of(from, i), body.type_of(&it, i), body.of(from, i)));
}

void select(Body& body, const llvm::SelectInst& it) {
    const bool each = it.getCondition()->getType()->isVectorTy();
    const auto choice = body.facts.choices.values.find(&it);
    const bool chooses = choice != body.facts.choices.values.end() && body.unit.elements.any(&it);
    for (std::size_t i = 0; i < body.count(&it); ++i)
        body.set(&it, i,
                 body.if_else(body.of(it.getCondition(), each ? i : 0), body.of(it.getTrueValue(), i),
                              body.of(it.getFalseValue(), i)));
    if (!chooses) return;
    const std::uint32_t selection = body.selection_of(choice->second, it, value_type(it.getType(), true));
    body.code.code.back().selection = selection;
}

// An element index known only at run time: one select per element.
void variable_element(Body& body, const llvm::Instruction& it) {
    const llvm::Value* vector = it.getOperand(0);
    const bool insert = llvm::isa<llvm::InsertElementInst>(it);
    const llvm::Value* index = it.getOperand(insert ? 2 : 1);
    const Register at = body.of(index);
    Register found = body.of(vector, 0);
    for (std::size_t i = 0; i < body.count(vector); ++i) {
        const Register here = compare(body, llvm::CmpInst::ICMP_EQ, index->getType(), at, body.constant(i, at.rows));
        if (insert)
            body.set(&it, i, body.if_else(here, body.of(it.getOperand(1)), body.of(vector, i)));
        else if (i > 0)
            found = body.if_else(here, body.of(vector, i), found);
    }
    if (!insert) body.set(&it, found);
}

} // namespace

bool lower_arithmetic(Body& body, const llvm::Instruction& instruction) {
    if (const auto sources = rearranged(instruction, body.unit.types)) {
        for (std::size_t i = 0; i < sources->size(); ++i) {
            const auto& [value, scalar] = (*sources)[i];
            body.set(&instruction, i,
                     value != nullptr ? body.of(value, scalar)
                                      : body.constant(0, rows_of(body.type_of(&instruction, i))));
        }
        return true;
    }
    if (auto* op = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
        binary(body, *op);
    } else if (auto* cmp = llvm::dyn_cast<llvm::CmpInst>(&instruction)) {
        compare(body, *cmp);
    } else if (auto* it = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
        cast(body, *it);
    } else if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
        select(body, *choice);
    } else if (llvm::isa<llvm::ExtractElementInst>(instruction) || llvm::isa<llvm::InsertElementInst>(instruction)) {
        variable_element(body, instruction);
    } else if (llvm::isa<llvm::FreezeInst>(instruction)) {
        for (std::size_t i = 0; i < body.count(&instruction); ++i)
            body.set(&instruction, i, body.of(instruction.getOperand(0), i));
    } else if (instruction.getOpcode() == llvm::Instruction::FNeg) {
        for (std::size_t i = 0; i < body.count(&instruction); ++i)
            body.set(&instruction, i,
                     negate(body, body.type_of(&instruction, i), body.of(instruction.getOperand(0), i)));
    } else {
        return false;
    }
    return true;
}

} // namespace warptree::compile::lowering
