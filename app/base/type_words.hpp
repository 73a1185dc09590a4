// Element types as CUDA code spells them, for the screen. The command line and files use name(type).
#pragma once

#include "app/base/element_type.hpp"
#include "app/base/value_type.hpp"

#include <array>
#include <string_view>

namespace warptree {

inline std::string_view c_name(ElementType type) {
    constexpr std::array<std::string_view, 5> kNames{"int", "unsigned", "long long", "float", "double"};
    return kNames[static_cast<std::size_t>(type)];
}

// The same for the type of a value in a kernel.
inline ValueType value_type_of(ElementType type) {
    constexpr std::array kTypes{ValueType::i32, ValueType::u32, ValueType::i64, ValueType::f32, ValueType::f64};
    return kTypes[static_cast<std::size_t>(type)];
}

} // namespace warptree
