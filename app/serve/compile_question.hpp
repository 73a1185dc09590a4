// What `POST /compile` takes and gives, as JSON.
#pragma once

#include "app/compile/client/compiler.hpp"

#include <string>
#include <string_view>

namespace warptree::serve {

// {"text": "__global__ …", "name": "mine.cu", "defines": [["N", "256"]], "instances": ["reduce<256>"],
//  "shipped": true}, of which only the text is needed; or, where the content's type is text/plain, the text itself.
// shipped: it may include the headers of the kernels that ship, which lie in `kernels`. Throws OptionError.
compile::Request question_from(std::string_view body, std::string_view content_type, const std::string& kernels);

// {"compiled", "kernels": [{"name", "parameters": [{"name", "type"}]}], "templates", "refused", "diagnostics": [{
// "severity", "file", "line", "column", "message"}]} of the bytes of a Program.
std::string answer_as_json(std::string_view program);

} // namespace warptree::serve
