#include "app/base/xml_text.hpp"

#include "app/base/utf8.hpp"

namespace warptree {

std::string xml_text(std::string_view text) {
    const std::string valid = valid_utf8(text);
    std::string out;
    for (std::size_t i = 0; i < valid.size();) {
        const std::size_t length = utf8_length(std::string_view(valid).substr(i));
        const std::string_view character = std::string_view(valid).substr(i, length);
        switch (character.front()) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\n': out += "&#10;"; break; // in an attribute, a reader would take the line's end for a space
        default:
            if (static_cast<unsigned char>(character.front()) < 0x20) {
                out += ' ';
            } else {
                out += character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF" ? "\xEF\xBF\xBD" : character;
            }
        }
        i += length;
    }
    return out;
}

} // namespace warptree
