#include "app/base/value_type.hpp"

namespace warptree {

std::string_view name(ValueType type) {
    switch (type) {
    case ValueType::none: return "";
    case ValueType::boolean: return "bool";
    case ValueType::i8: return "signed char";
    case ValueType::u8: return "unsigned char";
    case ValueType::i16: return "short";
    case ValueType::u16: return "unsigned short";
    case ValueType::i32: return "int";
    case ValueType::u32: return "unsigned";
    case ValueType::i64: return "long long";
    case ValueType::u64: return "unsigned long long";
    case ValueType::f16: return "__half";
    case ValueType::f32: return "float";
    case ValueType::f64: return "double";
    case ValueType::pointer: return "pointer";
    case ValueType::bf16: return "__nv_bfloat16";
    }
    return "";
}

std::string_view short_name(ValueType type) {
    switch (type) {
    case ValueType::none: return "none";
    case ValueType::boolean: return "bool";
    case ValueType::i8: return "i8";
    case ValueType::u8: return "u8";
    case ValueType::i16: return "i16";
    case ValueType::u16: return "u16";
    case ValueType::i32: return "i32";
    case ValueType::u32: return "u32";
    case ValueType::i64: return "i64";
    case ValueType::u64: return "u64";
    case ValueType::f16: return "f16";
    case ValueType::f32: return "f32";
    case ValueType::f64: return "f64";
    case ValueType::pointer: return "pointer";
    case ValueType::bf16: return "bf16";
    }
    return "";
}

} // namespace warptree
