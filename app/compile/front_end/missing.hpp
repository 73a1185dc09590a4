// Headers and names that CUDA programs use and warptree does not have.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace warptree::compile {

// One line, without a place: "cudnn.h: cuDNN is not part of warptree". `refusal`: why a file of that
// name was not read.
std::string about_missing(std::string_view header, std::string_view refusal);

// Whether `message`, from explained(), is about something that this header would have provided.
bool brings(std::string_view header, std::string_view message);

// Whether the file includes a header: "curand_kernel.h".
using Included = std::function<bool(std::string_view header)>;

// Clang's message with the reason appended, if it is about a name that only a library has: "unknown type name
// 'cudnnHandle_t'; cuDNN is not part of warptree", "unknown type name 'curandState'; #include <curand_kernel.h> is
// missing". `included`: answers true for every header if nothing undeclared is the matter.
std::string explained(std::string message, const Included& included);

// Without "did you mean '...'?" of a name that programs do not know, or of the one they used.
std::string without_internal_suggestion(std::string message);

} // namespace warptree::compile
