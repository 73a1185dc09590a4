// What a program's text says about a call in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warptree::runs {

// The variable in argument `number` (from 0) of the call of the runtime API that stands at a line and column, both from 1,
// perhaps inside a macro: "d_in" for CHECK(cudaMalloc((void**)&d_in, bytes)). Empty: the text does not show it.
std::string argument_at(std::string_view text, std::uint32_t line, std::uint32_t column, unsigned number);
// The argument as it is written: "n * sizeof(float)".
std::string argument_text_at(std::string_view text, std::uint32_t line, std::uint32_t column, unsigned number);

// "reduce<256>" for a kernel's symbol, "_Z6reduceILi256EEvPi".
std::string kernel_name(const std::string& symbol);

// Of a program that crashed or ended with an error: what it may have wanted and was not given, as its text shows; empty: nothing.
std::string may_lack(std::string_view text, bool has_arguments, bool has_files);

// The bytes of the scalar of which a size takes the sizeof, "n * sizeof(float)"; 0: of none, or of several.
std::uint32_t said_bytes(std::string_view size);

} // namespace warptree::runs
