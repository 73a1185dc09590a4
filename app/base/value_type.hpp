// The scalar types of a kernel's values, as in its source.
#pragma once

#include <cstdint>
#include <string_view>

namespace warptree {

// Stable: trace files store the number. bf16 is __nv_bfloat16.
enum class ValueType : std::uint8_t {
    none,
    boolean,
    i8,
    u8,
    i16,
    u16,
    i32,
    u32,
    i64,
    u64,
    f16,
    f32,
    f64,
    pointer,
    bf16
};

constexpr unsigned bytes(ValueType type) {
    switch (type) {
    case ValueType::none: return 0;
    case ValueType::boolean:
    case ValueType::i8:
    case ValueType::u8: return 1;
    case ValueType::i16:
    case ValueType::u16:
    case ValueType::f16:
    case ValueType::bf16: return 2;
    case ValueType::i32:
    case ValueType::u32:
    case ValueType::f32: return 4;
    case ValueType::i64:
    case ValueType::u64:
    case ValueType::f64:
    case ValueType::pointer: return 8;
    }
    return 0;
}
constexpr bool is_floating(ValueType type) {
    return type == ValueType::f16 || type == ValueType::bf16 || type == ValueType::f32 || type == ValueType::f64;
}
constexpr bool is_signed(ValueType type) {
    return type == ValueType::i8 || type == ValueType::i16 || type == ValueType::i32 || type == ValueType::i64 ||
           is_floating(type);
}

// Its name in CUDA C++: "int", "unsigned", "long long", "float", "double", "__half", "__nv_bfloat16".
std::string_view name(ValueType type);
// Its name on the command line: "i32", "u32", "i64", "f32", "f64".
std::string_view short_name(ValueType type);

} // namespace warptree
