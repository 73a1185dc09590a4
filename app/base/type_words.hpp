// Element types as CUDA code spells them: for the screen. Command line and files say name(type).
#pragma once

#include "app/base/element_type.hpp"

#include <array>
#include <string_view>

namespace warptree {

inline std::string_view c_name(ElementType type) {
    constexpr std::array<std::string_view, 5> kNames{"int", "unsigned", "long long", "float", "double"};
    return kNames[static_cast<std::size_t>(type)];
}

} // namespace warptree
