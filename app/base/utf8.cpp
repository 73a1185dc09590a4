#include "app/base/utf8.hpp"

namespace warptree {

std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const unsigned first = byte(0), second = byte(1);
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80; };
    if (first < 0x80) {
        return text.empty() ? 0 : 1;
    }
    if (first >= 0xC2 && first <= 0xDF) {
        return continues(1) ? 2 : 0;
    }
    if (first >= 0xE0 && first <= 0xEF) { // neither too long a form, nor half of a UTF-16 pair
        const bool fits = (first != 0xE0 || second >= 0xA0) && (first != 0xED || second < 0xA0);
        return fits && continues(1) && continues(2) ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) { // up to U+10FFFF
        const bool fits = (first != 0xF0 || second >= 0x90) && (first != 0xF4 || second < 0x90);
        return fits && continues(1) && continues(2) && continues(3) ? 4 : 0;
    }
    return 0;
}

std::string valid_utf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        out += length == 0 ? "\xEF\xBF\xBD" : text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

} // namespace warptree
