// Headers and names that CUDA programs use and warptree does not have.
#pragma once

#include <string>
#include <string_view>

namespace warptree::compile {

// One line, without a place: "cudnn.h: cuDNN is not part of warptree". `refusal`: why a file of that
// name was not read.
std::string about_missing(std::string_view header, std::string_view refusal);

// Whether `message`, from explained(), is about something that this header would have provided.
bool brings(std::string_view header, std::string_view message);

// Clang's message with the reason appended, if it is about a name that only a library has: "unknown type name
// 'cudnnHandle_t'; cuDNN is not part of warptree".
std::string explained(std::string message);

} // namespace warptree::compile
