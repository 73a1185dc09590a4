// How LLVM's types map to rows, and the types of the source.
#pragma once

#include "app/compile/program/program.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Type.h>

#include <memory>
#include <vector>

namespace warptree::compile::lowering {

// One scalar of a first-class value: a field of a struct, an element of an array or vector, or the value itself.
struct Scalar {
    llvm::Type* type = nullptr;
    std::uint64_t offset = 0; // bytes from the beginning, in memory
};

// Of integers, floating-point numbers and pointers; above 64: the machine has no row for it.
unsigned bits_of(const llvm::Type* type);
inline std::uint8_t rows_of(const llvm::Type* type) { return bits_of(type) > 32 ? 2 : 1; }

class Types {
  public:
    explicit Types(const llvm::DataLayout& layout) : layout_(layout) {}
    // In memory order. void has none.
    const std::vector<Scalar>& scalars(llvm::Type* type);
    std::size_t count(llvm::Type* type) {
        return type->isSingleValueType() && !type->isVectorTy() ? 1 : scalars(type).size();
    }

  private:
    void collect(llvm::Type* type, std::uint64_t offset, std::vector<Scalar>& into) const;
    const llvm::DataLayout& layout_;
    llvm::DenseMap<llvm::Type*, std::unique_ptr<std::vector<Scalar>>> known_;
};

// LLVM's integer types have no sign.
ValueType value_type(const llvm::Type* type, bool is_signed = true);

// Strips typedefs, const, volatile and the like; nullptr stays nullptr.
const llvm::DIType* plain(const llvm::DIType* type);
// Of a scalar; none for structs and arrays.
ValueType value_type(const llvm::DIType* type);
// What a pointer or reference points to, or the element of an array; nullptr: it is neither.
const llvm::DIType* element_of(const llvm::DIType* type);
std::uint32_t bytes_of(const llvm::DIType* type);

} // namespace warptree::compile::lowering
