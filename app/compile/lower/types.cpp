#include "app/compile/lower/types.hpp"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DerivedTypes.h>

namespace warptree::compile::lowering {

unsigned bits_of(const llvm::Type* type) { return type->isPointerTy() ? 64 : type->getScalarSizeInBits(); }

void Types::collect(llvm::Type* type, std::uint64_t offset, std::vector<Scalar>& into) const {
    if (type->isVoidTy()) return;
    if (auto* s = llvm::dyn_cast<llvm::StructType>(type)) {
        const llvm::StructLayout* layout = layout_.getStructLayout(s);
        for (unsigned i = 0; i < s->getNumElements(); ++i)
            collect(s->getElementType(i), offset + layout->getElementOffset(i).getFixedValue(), into);
    } else if (auto* a = llvm::dyn_cast<llvm::ArrayType>(type)) {
        const std::uint64_t size = layout_.getTypeAllocSize(a->getElementType()).getFixedValue();
        for (std::uint64_t i = 0; i < a->getNumElements(); ++i) collect(a->getElementType(), offset + i * size, into);
    } else if (auto* v = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
        const std::uint64_t size = (bits_of(v->getElementType()) + 7) / 8;
        for (unsigned i = 0; i < v->getNumElements(); ++i) into.push_back({v->getElementType(), offset + i * size});
    } else {
        into.push_back({type, offset});
    }
}

const std::vector<Scalar>& Types::scalars(llvm::Type* type) {
    auto& entry = known_[type];
    if (entry == nullptr) {
        entry = std::make_unique<std::vector<Scalar>>();
        collect(type, 0, *entry);
    }
    return *entry;
}

ValueType value_type(const llvm::Type* type, bool is_signed) {
    if (type->isPointerTy()) return ValueType::pointer;
    if (type->isHalfTy()) return ValueType::f16;
    if (type->isBFloatTy()) return ValueType::bf16;
    if (type->isFloatTy()) return ValueType::f32;
    if (type->isDoubleTy()) return ValueType::f64;
    if (!type->isIntegerTy()) return ValueType::none;
    const unsigned bits = type->getIntegerBitWidth();
    if (bits == 1) return ValueType::boolean;
    if (bits <= 8) return is_signed ? ValueType::i8 : ValueType::u8;
    if (bits <= 16) return is_signed ? ValueType::i16 : ValueType::u16;
    if (bits <= 32) return is_signed ? ValueType::i32 : ValueType::u32;
    return bits <= 64 ? (is_signed ? ValueType::i64 : ValueType::u64) : ValueType::none;
}

const llvm::DIType* plain(const llvm::DIType* type) {
    while (auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
        switch (derived->getTag()) {
        case llvm::dwarf::DW_TAG_typedef:
        case llvm::dwarf::DW_TAG_const_type:
        case llvm::dwarf::DW_TAG_volatile_type:
        case llvm::dwarf::DW_TAG_restrict_type:
        case llvm::dwarf::DW_TAG_atomic_type:
        case llvm::dwarf::DW_TAG_template_alias:
        case llvm::dwarf::DW_TAG_member: type = derived->getBaseType(); break;
        default: return type;
        }
    }
    return type;
}

static ValueType integer_type(std::uint64_t bits, bool is_signed) {
    switch (bits) {
    case 8: return is_signed ? ValueType::i8 : ValueType::u8;
    case 16: return is_signed ? ValueType::i16 : ValueType::u16;
    case 32: return is_signed ? ValueType::i32 : ValueType::u32;
    case 64: return is_signed ? ValueType::i64 : ValueType::u64;
    default: return ValueType::none;
    }
}

ValueType value_type(const llvm::DIType* type) {
    type = plain(type);
    if (auto* basic = llvm::dyn_cast_or_null<llvm::DIBasicType>(type)) {
        const std::uint64_t bits = basic->getSizeInBits();
        switch (basic->getEncoding()) {
        case llvm::dwarf::DW_ATE_boolean: return ValueType::boolean;
        case llvm::dwarf::DW_ATE_float:
            return bits == 16   ? (basic->getName() == "__bf16" ? ValueType::bf16 : ValueType::f16)
                   : bits == 32 ? ValueType::f32
                   : bits == 64 ? ValueType::f64
                                : ValueType::none;
        case llvm::dwarf::DW_ATE_signed:
        case llvm::dwarf::DW_ATE_signed_char: return integer_type(bits, true);
        case llvm::dwarf::DW_ATE_unsigned:
        case llvm::dwarf::DW_ATE_unsigned_char:
        case llvm::dwarf::DW_ATE_UTF: return integer_type(bits, false);
        default: return ValueType::none;
        }
    }
    if (auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
        switch (derived->getTag()) {
        case llvm::dwarf::DW_TAG_pointer_type:
        case llvm::dwarf::DW_TAG_reference_type:
        case llvm::dwarf::DW_TAG_rvalue_reference_type: return ValueType::pointer;
        default: return ValueType::none;
        }
    }
    auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(type);
    if (composite == nullptr) return ValueType::none;
    if (composite->getTag() == llvm::dwarf::DW_TAG_enumeration_type) {
        const ValueType base = value_type(composite->getBaseType());
        return base != ValueType::none ? base : integer_type(composite->getSizeInBits(), true);
    }
    // A class that wraps a number.
    if (composite->getName() == "__half" && composite->getSizeInBits() == 16) return ValueType::f16;
    if (composite->getName() == "__nv_bfloat16" && composite->getSizeInBits() == 16) return ValueType::bf16;
    return ValueType::none;
}

const llvm::DIType* element_of(const llvm::DIType* type) {
    type = plain(type);
    if (auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type))
        return value_type(type) == ValueType::pointer ? derived->getBaseType() : nullptr;
    if (auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(type))
        return composite->getTag() == llvm::dwarf::DW_TAG_array_type ? composite->getBaseType() : nullptr;
    return nullptr;
}

std::uint32_t bytes_of(const llvm::DIType* type) {
    type = plain(type);
    return type == nullptr ? 0 : static_cast<std::uint32_t>(type->getSizeInBits() / 8);
}

} // namespace warptree::compile::lowering
