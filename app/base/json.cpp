#include "app/base/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace warptree {

namespace {
std::size_t line_at(std::string_view text, std::size_t byte) {
    return 1 +
           static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte), '\n'));
}

// Only counts brackets and colons outside of strings; whether it is JSON the parser says.
void check_shape(std::string_view text) {
    std::array<std::size_t, kMostJsonDepth> members{};
    std::size_t depth = 0;
    bool in_string = false;
    const auto refuse = [&](std::size_t byte, const std::string& why) { throw JsonError(line_at(text, byte), why); };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            i += c == '\\' ? 1 : 0;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (depth == kMostJsonDepth) {
                refuse(i, fmt::format("lists and objects nested more than {} deep", kMostJsonDepth));
            }
            members[depth++] = 0;
        } else if ((c == ']' || c == '}') && depth != 0) {
            --depth;
        } else if (c == ':' && depth != 0 && ++members[depth - 1] > kMostJsonMembers) {
            refuse(i, fmt::format("an object of more than {} members", kMostJsonMembers));
        }
    }
}
} // namespace

nlohmann::ordered_json parse_json(std::string_view text, std::uint64_t most_bytes) {
    if (text.size() > most_bytes) {
        throw JsonError(1, fmt::format("{} bytes of JSON, of at most {}", text.size(), most_bytes));
    }
    check_shape(text);
    try {
        return nlohmann::ordered_json::parse(text);
    } catch (const nlohmann::json::parse_error& e) {
        throw JsonError(line_at(text, std::min(e.byte, text.size())), "not JSON, or cut short");
    } catch (const nlohmann::json::out_of_range& e) { // "[…] number overflow parsing '1e999'"
        const std::string_view what = e.what();
        const auto from = std::min(what.find('\''), what.size() - 1) + 1;
        const std::string_view number = what.substr(from, what.rfind('\'') - from);
        throw JsonError(line_at(text, std::min(text.find(number), text.size())), "a number is too large");
    }
}

std::optional<std::uint64_t> whole_number(const nlohmann::ordered_json& value, std::uint64_t most) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) {
        return std::nullopt;
    }
    return value.get<std::uint64_t>();
}

} // namespace warptree
