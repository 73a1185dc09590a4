// Elements of arrays of CUDA's vector types, which traces count in their parts.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <string_view>

namespace warptree {

// 3 of "const float3*"; 1 of any other type.
std::uint32_t parts_of_type(std::string_view type);

// Of the array that a launch's kernel is told, by the name that findings have of it: a parameter's, or the host's.
std::uint32_t parts_of_array(const Trace& trace, const Launch& launch, std::string_view array);

} // namespace warptree
