#include "app/compile/lower/memory_map.hpp"

#include "app/compile/client/compiler.hpp"
#include "app/compile/lower/address_space.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <cstring>

namespace warptree::compile::lowering {

namespace {

const llvm::DIGlobalVariable* debug_variable(const llvm::GlobalVariable& variable) {
    llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> found;
    variable.getDebugInfo(found);
    return found.empty() ? nullptr : found.front()->getVariable();
}

// "tile" of a mangled "_ZZ6reducePKiPijE4tile": what follows the last length.
std::string source_name(const llvm::GlobalVariable& variable) {
    if (const auto* debug = debug_variable(variable)) return debug->getName().str();
    const llvm::StringRef name = variable.getName();
    if (!name.starts_with("_Z")) return name.starts_with(".") || name.starts_with("__const") ? "" : name.str();
    std::size_t end = name.size();
    for (std::size_t at = name.size(); at-- > 2;) {
        if (!llvm::isDigit(name[at])) continue;
        std::size_t first = at;
        while (first > 0 && llvm::isDigit(name[first - 1])) --first;
        unsigned length = 0;
        if (!name.slice(first, at + 1).getAsInteger(10, length) && at + 1 + length <= end)
            return name.substr(at + 1, length).str();
        at = first;
    }
    return name.str();
}

struct ArrayShape {
    ValueType type = ValueType::none;
    std::uint32_t bytes = 1;
    std::vector<std::uint32_t> extents;
};

// From LLVM's type; an element's sign from the debug record, if there is one.
ArrayShape shape_of(const llvm::GlobalVariable& variable, const llvm::DataLayout& layout) {
    ArrayShape result;
    const llvm::Type* type = variable.getValueType();
    while (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
        result.extents.push_back(static_cast<std::uint32_t>(array->getNumElements()));
        type = array->getElementType();
    }
    result.type = value_type(type);
    result.bytes = static_cast<std::uint32_t>(layout.getTypeAllocSize(const_cast<llvm::Type*>(type)).getFixedValue());
    if (const auto* debug = debug_variable(variable)) {
        const llvm::DIType* element = debug->getType();
        while (plain(element) != nullptr && plain(element)->getTag() == llvm::dwarf::DW_TAG_array_type)
            element = element_of(element);
        const ValueType named = value_type(element);
        if (bytes(named) == result.bytes) result.type = named;
    }
    result.bytes = std::max(result.bytes, 1U);
    return result;
}

// Sizes are 32 bits wide from here on.
std::uint32_t size_of(const llvm::GlobalVariable& variable, const llvm::DataLayout& layout, std::uint64_t most,
                      const char* what) {
    const std::uint64_t size = layout.getTypeAllocSize(variable.getValueType()).getFixedValue();
    if (size <= most) return static_cast<std::uint32_t>(size);
    const auto* debug = debug_variable(variable);
    throw CompileError((debug == nullptr ? "" : "line " + std::to_string(debug->getLine()) + ": ") +
                       source_name(variable) + " takes " + std::to_string(size) + " bytes of " + what +
                       ", and at most " + std::to_string(most) + " are possible here; make it smaller");
}

} // namespace

MemoryMap::MemoryMap(const Reach& reach, const llvm::DataLayout& layout, Locations& locations, Program& program)
    : layout_(layout), locations_(locations), program_(program) {
    for (const llvm::GlobalVariable* variable : reach.globals())
        if (variable->getAddressSpace() == kSharedSpace)
            add_shared(*variable);
        else
            add_global(*variable);
    place_shared(reach);
    if (program_.globals.size() > kMostAllocations / 2)
        throw CompileError("the file has more than " + std::to_string(kMostAllocations / 2) +
                           " variables in global memory");
}

void MemoryMap::add_shared(const llvm::GlobalVariable& variable) {
    shared_[&variable] = static_cast<std::uint32_t>(program_.shared.size());
    SharedArray& array = program_.shared.emplace_back();
    array.name = source_name(variable);
    const ArrayShape e = shape_of(variable, layout_);
    array.element = e.type;
    array.element_bytes = e.bytes;
    array.extents = e.extents;
    array.bytes = size_of(variable, layout_, kMostStaticShared, "shared memory");
    if (const auto* debug = debug_variable(variable))
        array.location = locations_.of(debug->getFile(), debug->getLine());
}

// Arrays that no kernel uses together may overlap, so that each kernel's are laid out as if it were alone in its file.
void MemoryMap::place_shared(const Reach& reach) {
    std::vector<std::vector<std::uint32_t>> kernels_of(program_.shared.size());
    for (std::uint32_t k = 0; k < reach.kernels().size(); ++k)
        for (const llvm::GlobalVariable* variable : reach.kernels()[k].globals)
            if (const std::uint32_t index = shared(variable); index != kNone) kernels_of[index].push_back(k);
    std::vector<std::uint32_t> end_of(reach.kernels().size(), 0);
    std::vector<const llvm::GlobalVariable*> order(program_.shared.size());
    for (const auto& [variable, index] : shared_) order[index] = variable;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        SharedArray& array = program_.shared[i];
        if (array.bytes == 0) continue;
        for (const std::uint32_t k : kernels_of[i]) array.offset = std::max(array.offset, end_of[k]);
        array.offset = static_cast<std::uint32_t>(llvm::alignTo(array.offset, order[i]->getAlign().valueOrOne()));
        if (array.offset + std::uint64_t{array.bytes} > kMostStaticShared)
            throw CompileError(array.name +
                               " does not fit into shared memory beside the arrays before it, which take " +
                               std::to_string(array.offset) + " bytes of at most " + std::to_string(kMostStaticShared));
        for (const std::uint32_t k : kernels_of[i]) end_of[k] = array.offset + array.bytes;
        program_.static_shared_bytes = std::max(program_.static_shared_bytes, array.offset + array.bytes);
    }
    for (SharedArray& array : program_.shared) { // dynamic ones begin after the static ones; padding counts as static
        if (array.bytes != 0) continue;
        program_.static_shared_bytes = static_cast<std::uint32_t>(llvm::alignTo(program_.static_shared_bytes, 16));
        array.offset = program_.static_shared_bytes;
    }
}

void MemoryMap::add_global(const llvm::GlobalVariable& variable) {
    globals_[&variable] = static_cast<std::uint32_t>(program_.globals.size());
    Global& global = program_.globals.emplace_back();
    global.name = variable.hasPrivateLinkage() ? "" : source_name(variable);
    global.symbol = variable.getName().str();
    global.space =
        variable.getAddressSpace() == kConstantSpace || variable.isConstant() ? Space::constant : Space::global;
    global.bytes = size_of(variable, layout_, 0xFFFFFFFF, "device memory");
    global.alignment = static_cast<std::uint32_t>(variable.getAlign().valueOrOne().value());
    const ArrayShape e = shape_of(variable, layout_);
    global.element = e.type;
    global.element_bytes = e.bytes;
}

std::uint32_t MemoryMap::shared(const llvm::GlobalVariable* variable) const {
    const auto at = shared_.find(variable);
    return at == shared_.end() ? kNone : at->second;
}

std::uint32_t MemoryMap::global(const llvm::GlobalVariable* variable) const {
    const auto at = globals_.find(variable);
    return at == globals_.end() ? kNone : at->second;
}

std::uint64_t MemoryMap::address(const llvm::GlobalVariable* variable) const {
    if (const std::uint32_t index = shared(variable); index != kNone)
        return kSharedBase + program_.shared[index].offset;
    if (const std::uint32_t index = global(variable); index != kNone) return allocation_address(index);
    return 0;
}

std::uint64_t MemoryMap::bits(const llvm::Constant* constant, const Number& function) const {
    if (auto* integer = llvm::dyn_cast<llvm::ConstantInt>(constant))
        return integer->getBitWidth() <= 64 ? integer->getZExtValue() : integer->getValue().trunc(64).getZExtValue();
    if (auto* number = llvm::dyn_cast<llvm::ConstantFP>(constant))
        return number->getValueAPF().bitcastToAPInt().zextOrTrunc(64).getZExtValue();
    if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(constant)) return address(variable);
    if (auto* f = llvm::dyn_cast<llvm::Function>(constant))
        return f->isDeclaration() ? 0 : kFunctionBase + function(const_cast<llvm::Function*>(f));
    auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(constant);
    if (expression == nullptr) return 0; // null, undefined, poison
    if (auto* gep = llvm::dyn_cast<llvm::GEPOperator>(expression)) {
        llvm::APInt offset(64, 0);
        gep->accumulateConstantOffset(layout_, offset);
        return bits(llvm::cast<llvm::Constant>(gep->getPointerOperand()), function) + offset.getZExtValue();
    }
    const std::uint64_t first = bits(expression->getOperand(0), function);
    const unsigned width = bits_of(expression->getType());
    const std::uint64_t mask = width >= 64 ? ~0ULL : (1ULL << width) - 1;
    if (expression->isCast()) return first & mask;
    if (expression->getNumOperands() < 2) return 0;
    const std::uint64_t second = bits(expression->getOperand(1), function);
    switch (expression->getOpcode()) {
    case llvm::Instruction::Add: return (first + second) & mask;
    case llvm::Instruction::Sub: return (first - second) & mask;
    case llvm::Instruction::Xor: return first ^ second;
    default: return 0;
    }
}

void MemoryMap::initialise(const Number& function) {
    std::vector<const llvm::GlobalVariable*> order(program_.globals.size());
    for (const auto& [variable, index] : globals_) order[index] = variable;
    for (std::uint32_t index = 0; index < order.size(); ++index) {
        const llvm::GlobalVariable* variable = order[index];
        if (!variable->hasInitializer() || llvm::isa<llvm::UndefValue>(variable->getInitializer())) continue;
        if (variable->getInitializer()->isNullValue()) continue;
        Global& global = program_.globals[index];
        global.initial.assign(global.bytes, 0);
        write(global, 0, variable->getInitializer(), function);
    }
}

void MemoryMap::write(Global& global, std::uint64_t at, const llvm::Constant* constant, const Number& function) {
    llvm::Type* type = constant->getType();
    if (constant->isNullValue() || llvm::isa<llvm::UndefValue>(constant)) return;
    if (auto* s = llvm::dyn_cast<llvm::StructType>(type)) {
        const llvm::StructLayout* layout = layout_.getStructLayout(s);
        for (unsigned i = 0; i < s->getNumElements(); ++i)
            write(global, at + layout->getElementOffset(i).getFixedValue(), constant->getAggregateElement(i), function);
        return;
    }
    if (type->isArrayTy() || type->isVectorTy()) {
        llvm::Type* element = type->getContainedType(0);
        const std::uint64_t size = layout_.getTypeAllocSize(element).getFixedValue();
        if (auto* data = llvm::dyn_cast<llvm::ConstantDataSequential>(constant)) {
            const llvm::StringRef raw = data->getRawDataValues();
            std::memcpy(global.initial.data() + at, raw.data(), std::min<std::size_t>(raw.size(), global.bytes - at));
            return;
        }
        const std::uint64_t count =
            type->isArrayTy() ? type->getArrayNumElements() : llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
        for (std::uint64_t i = 0; i < count; ++i)
            write(global, at + i * size, constant->getAggregateElement(static_cast<unsigned>(i)), function);
        return;
    }
    // Addresses of other variables stay symbolic, so that the machine may place variables anywhere.
    llvm::APInt offset(64, 0);
    const llvm::Value* base = constant;
    if (type->isPointerTy()) base = constant->stripAndAccumulateConstantOffsets(layout_, offset, true);
    const std::size_t size = (bits_of(type) + 7) / 8;
    if (at + size > global.bytes) return;
    if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(base); variable != nullptr && size == 8) {
        if (const std::uint32_t other = this->global(variable); other != kNone) {
            global.addresses.push_back({static_cast<std::uint32_t>(at), other, kNone, offset.getSExtValue()});
            return;
        }
    } else if (auto* f = llvm::dyn_cast<llvm::Function>(base); f != nullptr && size == 8 && !f->isDeclaration()) {
        global.addresses.push_back(
            {static_cast<std::uint32_t>(at), kNone, function(const_cast<llvm::Function*>(f)), offset.getSExtValue()});
        return;
    }
    const std::uint64_t value = bits(constant, function);
    std::memcpy(global.initial.data() + at, &value, std::min<std::size_t>(size, 8));
}

} // namespace warptree::compile::lowering
