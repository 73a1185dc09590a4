#pragma once

#include <istream>
#include <sstream>
#include <string>
#include <utility>

namespace warptree {

// What is left of a stream. By the buffer: istreambuf_iterators go byte by byte, which took a third of a sanitized command.
inline std::string rest_of(std::istream& in) {
    std::ostringstream text;
    text << in.rdbuf();
    return std::move(text).str();
}

} // namespace warptree
