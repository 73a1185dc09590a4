// Loads, stores and local variables.
#include "app/compile/lower/address.hpp"
#include "app/compile/lower/atomics.hpp"
#include "app/compile/lower/numbers.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>

namespace warptree::compile::lowering {

namespace {

struct How {
    bool is_volatile = false, atomic = false, streaming = false;
    std::uint64_t alignment = 1;
    std::uint32_t selection = kNone;
    Scope scope = Scope::device; // of an atomic one
};

Access described(Access access, const How& how) {
    access.is_volatile = how.is_volatile;
    access.atomic = how.atomic;
    access.scope = how.scope;
    access.streaming = how.streaming;
    access.selection = how.selection;
    return access;
}

Address shifted(Address address, std::uint64_t bytes) {
    address.offset += static_cast<std::int64_t>(bytes);
    return address;
}

// How many scalars from `first` on, adjacent in memory, one request may access.
std::uint8_t together(const std::vector<Scalar>& scalars, std::size_t first, std::uint64_t alignment) {
    const unsigned bytes = std::max(bits_of(scalars[first].type), 8U) / 8;
    std::uint8_t count = 1;
    for (const std::uint8_t wanted : {2, 4, 8, 16}) {
        if (first + wanted > scalars.size() || wanted * bytes > 16) break;
        if (llvm::MinAlign(alignment, scalars[first].offset) < wanted * bytes) break;
        bool alike = true;
        for (std::size_t i = 1; i < wanted; ++i)
            alike &= bits_of(scalars[first + i].type) == bits_of(scalars[first].type) &&
                     scalars[first + i].offset == scalars[first].offset + i * bytes;
        if (!alike) break;
        count = wanted;
    }
    return count;
}

bool odd_width(const llvm::Type* type) {
    const unsigned bits = bits_of(type);
    return bits != 1 && bits != 8 && bits != 16 && bits != 32 && bits != 64;
}

// A scalar that may be misaligned: byte by byte.
Register load_bytes(Body& body, const llvm::Value* pointer, const Address& address, const llvm::Type* type,
                    const How& how, bool tagged) {
    const std::uint8_t rows = rows_of(type);
    llvm::Type* byte = llvm::Type::getInt8Ty(body.function.getContext());
    llvm::SmallVector<Register, 8> parts;
    for (unsigned i = 0; i < bits_of(type) / 8; ++i) {
        parts.push_back(body.fresh(1, tagged));
        const Address at = shifted(address, i);
        emit_access(body, Opcode::load, at, described(access(body, pointer, at, byte), how), parts.back());
    }
    return body.resize(repack(body, parts, 8, bits_of(type)).front(), rows);
}

void store_bytes(Body& body, const llvm::Value* pointer, const Address& address, const llvm::Type* type, const How& how,
                 Register value) {
    llvm::Type* byte = llvm::Type::getInt8Ty(body.function.getContext());
    const std::vector<Register> parts = repack(body, value, bits_of(type), 8);
    for (unsigned i = 0; i < parts.size(); ++i) {
        const Address at = shifted(address, i);
        emit_access(body, Opcode::store, at, described(access(body, pointer, at, byte), how), parts[i]);
    }
}

void load(Body& body, const llvm::LoadInst& it) {
    How how{it.isVolatile() || it.isAtomic(), it.isAtomic(), it.hasMetadata(llvm::LLVMContext::MD_nontemporal),
            it.getAlign().value()};
    if (it.isAtomic()) how.scope = scope_of(it, it.getSyncScopeID());
    const llvm::Value* pointer = it.getPointerOperand();
    const Address address = address_of(body, pointer);
    const std::vector<Scalar>& scalars = body.unit.types.scalars(it.getType());
    auto choice = body.facts.choices.of_pointer(pointer);
    if (choice) choice->follows = true; // a member that is not compared
    for (std::size_t i = 0; i < scalars.size();) {
        const llvm::Type* type = scalars[i].type;
        if (odd_width(type)) return body.trap("a load of " + std::to_string(bits_of(type)) + " bits");
        const Address at = shifted(address, scalars[i].offset);
        const bool tagged = body.unit.elements.is(&it, i);
        if (choice && body.unit.elements.any(&it))
            how.selection = body.selection_of(*choice, it, value_type(type, true));
        if (llvm::MinAlign(how.alignment, scalars[i].offset) < bits_of(type) / 8) {
            body.set(&it, i, load_bytes(body, pointer, at, type, how, tagged));
            ++i;
            continue;
        }
        const std::uint8_t count = together(scalars, i, how.alignment);
        bool any_tagged = false;
        for (std::uint8_t k = 0; k < count; ++k) any_tagged |= body.unit.elements.is(&it, i + k);
        llvm::SmallVector<Register, 4> parts;
        for (std::uint8_t k = 0; k < count; ++k) {
            parts.push_back(body.fresh(rows_of(type), any_tagged));
            body.set(&it, i + k, parts.back());
        }
        emit_access(body, Opcode::load, at, described(access(body, pointer, at, type, count), how), parts.front());
        i += count;
    }
    if (it.isAtomic() && llvm::isAcquireOrStronger(it.getOrdering()))
        body.emit(Opcode::fence).c = static_cast<std::uint32_t>(how.scope);
}

void store(Body& body, const llvm::StoreInst& it) {
    How how{it.isVolatile() || it.isAtomic(), it.isAtomic(), it.hasMetadata(llvm::LLVMContext::MD_nontemporal),
            it.getAlign().value()};
    if (const auto choice = body.facts.choices.stores.find(&it); choice != body.facts.choices.stores.end())
        how.selection = body.selection_of(choice->second, it, value_type(it.getValueOperand()->getType(), true));
    if (it.isAtomic()) how.scope = scope_of(it, it.getSyncScopeID());
    if (it.isAtomic() && llvm::isReleaseOrStronger(it.getOrdering()))
        body.emit(Opcode::fence).c = static_cast<std::uint32_t>(how.scope);
    const llvm::Value* value = it.getValueOperand();
    const llvm::Value* pointer = it.getPointerOperand();
    const Address address = address_of(body, pointer);
    const std::vector<Scalar>& scalars = body.unit.types.scalars(value->getType());
    for (std::size_t i = 0; i < scalars.size();) {
        const llvm::Type* type = scalars[i].type;
        if (odd_width(type)) return body.trap("a store of " + std::to_string(bits_of(type)) + " bits");
        const Address at = shifted(address, scalars[i].offset);
        if (llvm::MinAlign(how.alignment, scalars[i].offset) < bits_of(type) / 8) {
            store_bytes(body, pointer, at, type, how, body.of(value, i));
            ++i;
            continue;
        }
        const std::uint8_t count = together(scalars, i, how.alignment);
        llvm::SmallVector<Register, 4> parts;
        for (std::uint8_t k = 0; k < count; ++k) parts.push_back(body.of(value, i + k));
        const Register from = body.side_by_side(parts);
        emit_access(body, Opcode::store, at, described(access(body, pointer, at, type, count), how), from);
        i += count;
    }
}

// The variable that lives there; empty: it has no name.
std::string name_of(const llvm::AllocaInst& it) {
    for (const llvm::DbgVariableRecord* record : llvm::findDVRDeclares(const_cast<llvm::AllocaInst*>(&it)))
        if (!record->getVariable()->isArtificial()) return record->getVariable()->getName().str();
    return {};
}

// Notes the bounds of an array; other variables are accessed as a whole.
void note_bounds(Body& body, const llvm::AllocaInst& it, std::uint64_t offset, std::uint64_t size) {
    llvm::Type* element = it.getAllocatedType();
    if (!element->isArrayTy()) return;
    while (element->isArrayTy()) element = element->getArrayElementType();
    const std::uint64_t bytes = body.unit.layout.getTypeAllocSize(element).getFixedValue();
    const std::string name = name_of(it);
    if (bytes == 0 || name.empty()) return;
    body.local_arrays[&it] =
        Unit::add(body.program.locals, LocalArray{.name = name,
                                                  .offset = static_cast<std::uint32_t>(offset),
                                                  .bytes = static_cast<std::uint32_t>(size),
                                                  .element_bytes = static_cast<std::uint32_t>(bytes)});
}

void local(Body& body, const llvm::AllocaInst& it) {
    auto* count = llvm::dyn_cast<llvm::ConstantInt>(it.getArraySize());
    if (count == nullptr) return body.trap("an array whose size is known only at run time");
    const std::uint64_t size =
        body.unit.layout.getTypeAllocSize(it.getAllocatedType()).getFixedValue() * count->getZExtValue();
    const std::uint64_t offset = llvm::alignTo(body.code.local_bytes, it.getAlign());
    if (offset + size > 0xFFFFFF) return body.trap("more than 16 MB of local memory");
    body.code.local_bytes = static_cast<std::uint32_t>(offset + size);
    const Register made = body.fresh(2);
    Instruction& in = body.emit(Opcode::local_address);
    in.dst = made.row;
    in.c = static_cast<std::uint32_t>(offset);
    body.set(&it, made);
    note_bounds(body, it, offset, size);
}

} // namespace

bool lower_memory(Body& body, const llvm::Instruction& instruction) {
    if (auto* it = llvm::dyn_cast<llvm::LoadInst>(&instruction))
        load(body, *it);
    else if (auto* it = llvm::dyn_cast<llvm::StoreInst>(&instruction))
        store(body, *it);
    else if (auto* it = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
        local(body, *it);
    else if (auto* it = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
        lower_address(body, *it);
    else
        return false;
    return true;
}

} // namespace warptree::compile::lowering
