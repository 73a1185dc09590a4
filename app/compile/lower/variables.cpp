#include "app/compile/lower/variables.hpp"

#include "app/compile/lower/address.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

namespace warptree::compile::lowering {

namespace {

// The value, if the debug record gives the whole variable a single value; else nullptr.
const llvm::Value* whole_value(llvm::DbgVariableRecord& record) {
    if (!record.isDbgValue() || record.hasArgList() || record.isKillLocation()) return nullptr;
    if (record.getExpression()->getNumElements() != 0) return nullptr;
    return record.getVariableLocationOp(0);
}

} // namespace

Variables::Variables(const llvm::Function& function) {
    for (const llvm::Instruction& instruction : llvm::instructions(function))
        for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instruction.getDbgRecordRange()))
            if (const llvm::Value* value = whole_value(record); value != nullptr && !llvm::isa<llvm::Constant>(value))
                named_.try_emplace(value, record.getVariable());
}

std::uint32_t Variables::number(Body& body, const llvm::DILocalVariable* variable) {
    const auto [at, added] = numbers_.try_emplace(variable, kNone);
    if (!added) return at->second;
    const ValueType type = value_type(variable->getType());
    if (type == ValueType::none || variable->isArtificial()) return kNone;
    const llvm::DISubprogram* own = body.function.getSubprogram();
    at->second = Unit::add(body.program.variables,
                           Variable{.name = variable->getName().str(),
                                    .type = type,
                                    .function = body.number,
                                    .location = body.unit.locations.of(variable->getFile(), variable->getLine()),
                                    .parameter = variable->getArg() != 0 && variable->getScope() == own});
    return at->second;
}

void Variables::watch(Body& body, const llvm::Instruction& before) {
    for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(before.getDbgRecordRange())) {
        const llvm::Value* value = whole_value(record);
        if (value == nullptr || !body.has(value) || body.count(value) != 1) continue;
        const std::uint32_t variable = number(body, record.getVariable());
        if (variable == kNone) continue;
        const Register is = body.of(value);
        if (is.rows * 4U < bytes(body.program.variables[variable].type) ||
            is.rows != (bytes(body.program.variables[variable].type) == 8 ? 2 : 1))
            continue;
        Instruction& in = body.emit(Opcode::watch);
        in.a = is.row;
        in.tag_a = is.tag;
        in.c = variable;
    }
}

ValueType source_type(const Body& body, const Variables& variables, const llvm::Value* value, int depth) {
    const llvm::Type* type = value->getType();
    const ValueType plain = value_type(type->getScalarType());
    if (!type->isIntegerTy() || type->isIntegerTy(1)) return plain;
    if (const llvm::DILocalVariable* variable = variables.of(value)) {
        const ValueType named = value_type(variable->getType());
        if (bytes(named) == bytes(plain) && !is_floating(named)) return named;
    }
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(value)) return element_type(body, load->getPointerOperand(), type);
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (instruction == nullptr || depth == 0 || llvm::isa<llvm::CastInst>(instruction)) return plain;
    for (const llvm::Value* operand : instruction->operands()) {
        if (operand->getType() != type || llvm::isa<llvm::Constant>(operand)) continue;
        const ValueType found = source_type(body, variables, operand, depth - 1);
        if (found != plain) return found;
    }
    return plain;
}

} // namespace warptree::compile::lowering
