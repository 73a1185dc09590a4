#include "app/base/json_text.hpp"

#include <fmt/format.h>

namespace warptree {

std::string without_controls(std::string json) {
    constexpr const char* kCandidates = "\x7F\xC2"; // the latter begins U+0080 to U+00BF
    for (std::size_t at = json.find_first_of(kCandidates); at != std::string::npos;
         at = json.find_first_of(kCandidates, at + 1)) {
        const bool wide = json[at] != '\x7F';
        const unsigned code = static_cast<unsigned char>(wide && at + 1 < json.size() ? json[at + 1] : '\x7F');
        if (code < 0xA0) {
            json.replace(at, wide ? 2 : 1, fmt::format("\\u00{:02x}", code));
        }
    }
    return json;
}

} // namespace warptree
