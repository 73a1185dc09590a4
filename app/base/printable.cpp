#include "app/base/printable.hpp"

#include <fmt/format.h>

namespace warptree {

namespace {
std::string escaped(std::string_view text, bool lines) {
    std::string out;
    for (const char c : text) {
        if ((static_cast<unsigned char>(c) < 0x20 && !(lines && c == '\n')) || c == 0x7F) {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else {
            out += c;
        }
    }
    return out;
}
} // namespace

std::string printable(std::string_view text) {
    constexpr std::size_t kMost = 80;
    return escaped(text.substr(0, kMost), false) + (text.size() > kMost ? "..." : "");
}

std::string printable_lines(std::string_view text) { return escaped(text, true); }

} // namespace warptree
