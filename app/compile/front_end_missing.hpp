// Headers and names that CUDA programs use and warptree does not have.
#pragma once

#include <string>
#include <string_view>

namespace warptree::compile {

// One line, without a place: "cudnn.h: cuDNN is not part of warptree". `refusal`: why a file of that
// name was not read.
std::string about_missing(std::string_view header, std::string_view refusal);

// Whether `message`, of explained(), tells of what this header would have brought.
bool brings(std::string_view header, std::string_view message);

// Clang's words with the reason behind them, where they are about a name that only a library has: "unknown type name
// 'cudnnHandle_t'; cuDNN is not part of warptree".
std::string explained(std::string message);

} // namespace warptree::compile
