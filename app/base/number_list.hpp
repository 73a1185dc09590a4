// Files of numbers: one per line, or separated by white space or commas.
#pragma once

#include "app/base/error.hpp"
#include "app/base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace warptree {

inline FileError too_few_numbers(const std::string& path, std::uint64_t there, std::uint64_t wanted) {
    return FileError(fmt::format("{}: holds {} numbers, but {} are needed; take -n {}", path, there, wanted, there));
}

// Parses the whole word as a number of the type, within its range; false: it is not one.
template <class T> bool number_from(std::string_view word, T& value) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc{} && end == word.data() + word.size();
}

// Passes the first `count` words of the text to take(word, i), which returns whether the word is a number of the type
// named `type`. Throws FileError, with the line, if a word is not a number or if there are fewer words.
template <class Take>
void read_numbers(const std::string& text, const std::string& path, std::uint64_t count, std::string_view type,
                  Take&& take) {
    constexpr const char* kBetween = " \t\r\n,";
    std::size_t at = 0, line = 1;
    for (std::uint64_t i = 0; i < count; ++i) {
        while (at < text.size() && std::strchr(kBetween, text[at]) != nullptr) {
            line += text[at++] == '\n' ? 1 : 0;
        }
        if (at == text.size()) {
            throw too_few_numbers(path, i, count);
        }
        const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
        const std::string_view word = std::string_view(text).substr(at, end - at);
        if (!take(word, i)) {
            throw FileError(
                fmt::format("{}: line {}: '{}' is not a {}; one number per line, or separated by white space", path,
                            line, printable(word.substr(0, 24)), type));
        }
        at = end;
    }
}

} // namespace warptree
