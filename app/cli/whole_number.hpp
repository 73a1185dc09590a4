// Command-line numbers without suffix or power.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace warptree::commands {

// The whole text as a non-negative number; nullopt if it is not one.
inline std::optional<int> whole_number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && value >= 0 ? std::optional(value) : std::nullopt;
}

} // namespace warptree::commands
