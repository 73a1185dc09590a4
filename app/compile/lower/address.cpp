#include "app/compile/lower/address.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Operator.h>

namespace warptree::compile::lowering {

namespace {

// An index as the instruction takes it: a 32-bit one is extended by the access itself, and a constant that is added to it
// without overflow goes to the offset.
struct Index {
    const llvm::Value* value = nullptr;
    Access::Index kind = Access::Index::i64;
    std::int64_t added = 0;
};

Index strip(const llvm::Value* value) {
    Index index{.value = value};
    const auto constant_part = [&](bool no_overflow) {
        auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(index.value);
        if (sum == nullptr) return;
        auto* constant = llvm::dyn_cast<llvm::ConstantInt>(sum->getOperand(1));
        if (constant == nullptr || constant->getBitWidth() > 64) return;
        if (!no_overflow && !(index.kind == Access::Index::i32 ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap()))
            return;
        if (sum->getOpcode() == llvm::Instruction::Add)
            index.added += index.kind == Access::Index::u32 ? static_cast<std::int64_t>(constant->getZExtValue())
                                                            : constant->getSExtValue();
        else if (sum->getOpcode() == llvm::Instruction::Sub && index.kind != Access::Index::u32)
            index.added -= constant->getSExtValue();
        else
            return;
        index.value = sum->getOperand(0);
    };
    if (value->getType()->isIntegerTy(32)) {
        index.kind = Access::Index::i32;
    } else {
        constant_part(true);
        if (auto* extended = llvm::dyn_cast<llvm::CastInst>(index.value)) {
            const llvm::Value* narrow = extended->getOperand(0);
            if (llvm::isa<llvm::SExtInst>(extended) && narrow->getType()->isIntegerTy(32)) {
                index.kind = Access::Index::i32;
                index.value = narrow;
            } else if (llvm::isa<llvm::ZExtInst>(extended) && bits_of(narrow->getType()) <= 32) {
                index.kind = Access::Index::u32;
                index.value = narrow;
            }
        }
    }
    if (index.kind != Access::Index::i64 && index.value->getType()->isIntegerTy(32)) constant_part(false);
    return index;
}

Register index_register(Body& body, const Index& index) {
    Register found = body.of(index.value);
    if (index.kind == Access::Index::i64 && found.rows == 1) // an index of 8 or 16 bits
        found = body.compute(Opcode::sext64, 2, body.sign_low(found, bits_of(index.value->getType())));
    return found;
}

} // namespace

Register materialise(Body& body, const Address& address) {
    if (address.kind == Access::Index::none && address.offset == 0) return address.base;
    Access access{.index = address.kind, .scale = address.scale, .offset = address.offset};
    const Register made = body.fresh(2);
    Instruction& in = body.emit(Opcode::address);
    in.dst = made.row;
    in.a = address.base.row;
    in.b = address.index.row;
    in.c = Unit::add(body.program.accesses, access);
    return made;
}

Address address_of(Body& body, const llvm::Value* pointer) {
    if (const auto at = body.addresses.find(pointer); at != body.addresses.end()) return at->second;
    if (auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(pointer)) return address_of(body, cast->getOperand(0));
    // A constant: variable and offset are kept apart, so that the machine can name the array.
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(pointer)) {
        llvm::APInt offset(64, 0);
        const llvm::Value* base = constant->stripAndAccumulateConstantOffsets(body.unit.layout, offset, true);
        if (llvm::isa<llvm::GlobalVariable>(base)) return {.base = body.of(base), .offset = offset.getSExtValue()};
    }
    return {.base = body.of(pointer)};
}

void lower_address(Body& body, const llvm::GetElementPtrInst& gep) {
    Address address = address_of(body, gep.getPointerOperand());
    llvm::MapVector<llvm::Value*, llvm::APInt> variables;
    llvm::APInt constant(64, 0);
    if (gep.getType()->isVectorTy() || !gep.collectOffset(body.unit.layout, 64, variables, constant)) {
        body.trap("warptree does not support vectors of pointers");
        return;
    }
    address.offset += constant.getSExtValue();
    for (const auto& [value, scale] : variables) {
        const Index index = strip(value);
        const std::uint64_t factor = scale.getZExtValue();
        if (address.kind != Access::Index::none) { // one index per access
            const std::int64_t offset = address.offset;
            address.offset = 0;
            address = {.base = materialise(body, address), .offset = offset, .tag = address.tag};
        }
        address.index = index_register(body, index);
        address.tag = address.index.tag != 0 ? address.index.tag : address.tag;
        address.index.tag = 0;
        address.kind = index.kind;
        address.scale = static_cast<std::uint32_t>(factor);
        if (factor > 0xFFFFFFFFULL) { // elements of more than 4 GB
            address.index =
                body.compute(Opcode::mul64, 2,
                             index.kind == Access::Index::i64   ? address.index
                             : index.kind == Access::Index::i32 ? body.compute(Opcode::sext64, 2, address.index)
                                                                : body.resize(address.index, 2),
                             body.constant(factor, 2));
            address.kind = Access::Index::i64;
            address.scale = 1;
        }
        address.offset += index.added * static_cast<std::int64_t>(factor);
    }
    body.addresses[&gep] = address;
    body.set(&gep, materialise(body, address));
}

ValueType element_type(const Body& body, const llvm::Value* pointer, const llvm::Type* type) {
    const ValueType plain = value_type(type);
    if (!type->isIntegerTy()) return plain;
    std::optional<ValueType> agreed;
    body.unit.pointees.of(pointer).each([&](std::size_t object) {
        const ValueType element = body.unit.pointees.objects()[object].element;
        if (!agreed) agreed = element;
        if (*agreed != element) agreed = ValueType::none;
    });
    const bool fits = agreed && bytes(*agreed) == bytes(plain) && !is_floating(*agreed);
    return fits ? *agreed : plain;
}

Access access(Body& body, const llvm::Value* pointer, const Address& address, const llvm::Type* type,
              std::uint8_t count) {
    Access made{.index = address.kind, .scale = address.scale, .offset = address.offset, .count = count};
    made.bytes = static_cast<std::uint8_t>(std::max(bits_of(type), 8U) / 8);
    made.type = element_type(body, pointer, type);
    made.space = body.unit.pointees.space(pointer);
    if (const Object* object = body.unit.pointees.only(pointer);
        object != nullptr && object->kind == Object::Kind::shared)
        made.array = body.unit.map.shared(llvm::cast<llvm::GlobalVariable>(object->value));
    else if (object != nullptr && object->kind == Object::Kind::local)
        if (const auto at = body.local_arrays.find(object->value); at != body.local_arrays.end())
            made.local = at->second;
    return made;
}

void emit_access(Body& body, Opcode op, const Address& address, const Access& access, Register registers) {
    const std::uint32_t index = Unit::add(body.program.accesses, access);
    Instruction& in = body.emit(op);
    in.dst = registers.row;
    in.tag_dst = registers.tag;
    in.a = address.base.row;
    in.b = address.kind == Access::Index::none ? kNone : address.index.row;
    in.tag_b = op == Opcode::store ? address.tag : std::uint16_t{0};
    in.c = index;
}

} // namespace warptree::compile::lowering
