#include "app/base/printable.hpp"

#include "app/base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warptree {

namespace {
std::string escaped(std::string_view text, bool lines) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const auto c = static_cast<unsigned char>(text.front());
        // U+0080 to U+009F control a terminal, too.
        const bool control = (c < 0x20 && !(lines && (c == '\n' || c == '\t'))) || c == 0x7F ||
                             (length == 2 && c == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0);
        if (length == 0 || control) {
            for (const char byte : text.substr(0, std::max<std::size_t>(length, 1))) {
                out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
            }
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}
} // namespace

std::string printable(std::string_view text) {
    constexpr std::size_t kMost = 80;
    std::size_t end = std::min(kMost, text.size());
    for (int i = 0; i < 3 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80; ++i) {
        --end; // not in the midst of a character
    }
    return escaped(text.substr(0, end), false) + (text.size() > end ? "..." : "");
}

std::string printable_path(std::string_view path) { return escaped(path, false); }

std::string printable_lines(std::string_view text) { return escaped(text, true); }

} // namespace warptree
