// The text of each strategy's file, built into the program, byte for byte.
#pragma once

#include <string_view>

namespace warptree {

// Key: the path in strategies.def ("reduce/sequential.hpp"). Empty when there is none of that path.
std::string_view strategy_source(std::string_view path);

} // namespace warptree
