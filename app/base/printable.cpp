#include "app/base/printable.hpp"

#include <fmt/format.h>

namespace warptree {

std::string printable(std::string_view text) {
    constexpr std::size_t kMost = 80;
    std::string out;
    for (const char c : text.substr(0, kMost)) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else {
            out += c;
        }
    }
    return text.size() > kMost ? out + "..." : out;
}

} // namespace warptree
