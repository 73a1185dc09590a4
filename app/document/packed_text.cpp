#include "app/document/packed_text.hpp"

#include "app/base/error.hpp"
#include "app/base/whole_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>

namespace warptree::session {

namespace {
constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kOfLinks = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

[[noreturn]] void refuse_packed(const std::string& why) {
    throw OptionError(fmt::format("the source that the state carries {}; copy the whole string again", why));
}

std::string bytes_of_link(std::string_view letters) {
    std::string bytes;
    std::uint32_t bits = 0;
    unsigned count = 0;
    for (const char letter : letters) {
        const std::size_t at = kOfLinks.find(letter);
        if (at == std::string_view::npos) {
            refuse_packed("is damaged");
        }
        bits = bits << 6 | static_cast<std::uint32_t>(at);
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes += static_cast<char>(bits >> count & 0xFF);
        }
    }
    return bytes;
}
} // namespace

std::string deflated(std::string_view bytes) {
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    std::string packed(size, '\0');
    if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                  static_cast<uLong>(bytes.size()), Z_BEST_COMPRESSION) != Z_OK) {
        throw FileError(fmt::format("{} bytes cannot be compressed: no memory", bytes.size()));
    }
    packed.resize(size);
    return packed;
}

std::string base64(std::string_view bytes, Letters letters) {
    const std::string_view digits = letters == Letters::plain ? kPlain : kOfLinks;
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            three = three << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            if (i + k <= bytes.size()) {
                text += digits[three >> (18 - 6 * k) & 63];
            } else if (letters == Letters::plain) {
                text += '=';
            }
        }
    }
    return text;
}

std::string packed_text(std::string_view text) { return base64(deflated(text), Letters::of_links); }

std::string unpacked_text(std::string_view packed) {
    if (packed.size() > kMostRead) {
        refuse_packed(fmt::format("is longer than {} characters", kMostRead));
    }
    const std::string bytes = bytes_of_link(packed);
    std::string text(std::min(kMostUnpacked, 1032 * bytes.size() + 1), '\0'); // deflate makes at most 1032 of one
    uLongf size = static_cast<uLongf>(text.size());
    const int outcome = uncompress(reinterpret_cast<Bytef*>(text.data()), &size,
                                   reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()));
    if (outcome != Z_OK) {
        refuse_packed(outcome == Z_BUF_ERROR && size == kMostUnpacked
                          ? fmt::format("is larger than {} KB", kMostUnpacked / 1024)
                          : "is damaged");
    }
    text.resize(size);
    if (const std::string why = why_no_text(text); !why.empty()) {
        refuse_packed("is no text: " + why);
    }
    return text;
}

} // namespace warptree::session
