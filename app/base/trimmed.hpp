// A text without the white space at its ends.
#pragma once

#include <string_view>

namespace warptree {

constexpr std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n\v\f";
    const auto from = text.find_first_not_of(kSpace);
    return from == std::string_view::npos ? std::string_view()
                                          : text.substr(from, text.find_last_not_of(kSpace) - from + 1);
}

} // namespace warptree
