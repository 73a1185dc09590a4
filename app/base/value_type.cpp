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
    }
    return "";
}

} // namespace warptree
