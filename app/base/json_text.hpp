// JSON as text that every reader takes: what is not UTF-8, in a file's name or a kernel's output, is replaced.
#pragma once

#include <string>

namespace warptree {

// U+007F to U+009F, which JSON allows and terminals obey, as escapes of JSON.
std::string without_controls(std::string json);

// `indent` below 0: on one line.
template <class Json> std::string json_text(const Json& json, int indent = -1) {
    return without_controls(json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

} // namespace warptree
