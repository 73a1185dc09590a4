#include "app/compile/lower/vectors.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>

namespace warptree::compile::lowering {

namespace {

// Index of the first scalar of the member that the indices select.
std::size_t first_scalar(llvm::Type* type, llvm::ArrayRef<unsigned> indices, Types& types) {
    std::size_t first = 0;
    for (const unsigned index : indices) {
        if (auto* s = llvm::dyn_cast<llvm::StructType>(type)) {
            for (unsigned i = 0; i < index; ++i) first += types.count(s->getElementType(i));
            type = s->getElementType(index);
        } else {
            type = type->getArrayElementType();
            first += index * types.count(type);
        }
    }
    return first;
}

Sources scalars_of(const llvm::Value* value, std::size_t count) {
    Sources sources(count);
    for (std::size_t i = 0; i < count; ++i) sources[i] = {value, i};
    return sources;
}

} // namespace

std::optional<Sources> rearranged(const llvm::Instruction& instruction, Types& types) {
    const std::size_t count = types.count(instruction.getType());
    if (auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction)) {
        const llvm::Value* whole = extract->getAggregateOperand();
        const std::size_t first = first_scalar(whole->getType(), extract->getIndices(), types);
        Sources sources = scalars_of(whole, count);
        for (auto& [value, scalar] : sources) scalar += first;
        return sources;
    }
    if (auto* insert = llvm::dyn_cast<llvm::InsertValueInst>(&instruction)) {
        Sources sources = scalars_of(insert->getAggregateOperand(), count);
        const llvm::Value* part = insert->getInsertedValueOperand();
        const std::size_t first = first_scalar(insert->getType(), insert->getIndices(), types);
        for (std::size_t i = 0; i < types.count(part->getType()); ++i) sources[first + i] = {part, i};
        return sources;
    }
    if (auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(&instruction)) {
        auto* index = llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand());
        if (index == nullptr) return std::nullopt;
        const std::uint64_t from = index->getZExtValue();
        if (from >= types.count(extract->getVectorOperandType())) return Sources{{nullptr, 0}};
        return Sources{{extract->getVectorOperand(), from}};
    }
    if (auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(&instruction)) {
        auto* index = llvm::dyn_cast<llvm::ConstantInt>(insert->getOperand(2));
        if (index == nullptr) return std::nullopt;
        Sources sources = scalars_of(insert->getOperand(0), count);
        if (index->getZExtValue() < count) sources[index->getZExtValue()] = {insert->getOperand(1), 0};
        return sources;
    }
    if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction)) {
        const std::size_t width = types.count(shuffle->getOperand(0)->getType());
        Sources sources(count);
        for (std::size_t i = 0; i < count; ++i) {
            const int from = shuffle->getMaskValue(static_cast<unsigned>(i));
            if (from >= 0)
                sources[i] = static_cast<std::size_t>(from) < width
                                 ? std::pair<const llvm::Value*, std::size_t>{shuffle->getOperand(0), from}
                                 : std::pair<const llvm::Value*, std::size_t>{shuffle->getOperand(1), from - width};
        }
        return sources;
    }
    return std::nullopt;
}

} // namespace warptree::compile::lowering
