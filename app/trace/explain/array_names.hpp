// What a kernel calls the arrays of its launch: in a program the host's buffer has another name than the kernel's parameter.
#pragma once

#include "app/trace/explain/array_contents.hpp"
#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace warptree {

// The name of the parameter that points to the first element of an array in global memory, if no other points into it; else
// the array's own.
std::string kernel_name(const Launch& launch, std::string_view array);
std::string kernel_name(const Launch& launch, std::uint16_t allocation);
std::string kernel_name(const Launch& launch, const ArrayPlace& array);

// " (buffer b)" where the kernel's name is another than the host's; else empty.
std::string buffer_note(const Launch& launch, std::string_view array);
std::string buffer_note(const Launch& launch, std::uint16_t allocation);
std::string buffer_note(const Launch& launch, const ArrayPlace& array);

} // namespace warptree
