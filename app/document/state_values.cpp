#include "app/document/state_values.hpp"

#include "app/base/error.hpp"
#include "app/base/options.hpp"
#include "app/base/printable.hpp"

#include <fmt/format.h>

#include <charconv>

namespace warptree::session::state {

void refuse(std::string_view key, std::string_view value, const std::string& works) {
    throw OptionError(fmt::format("{}={} in a state is not usable; {}", key, printable(value), works));
}

std::uint64_t count(std::string_view key, std::string_view value, std::uint64_t least, std::uint64_t most) {
    const auto number = parse_count(value);
    if (!number || *number < least || *number > most) {
        refuse(key, value, fmt::format("take {} to {}", least, most));
    }
    return *number;
}
std::uint32_t count32(std::string_view key, std::string_view value, std::uint32_t least, std::uint32_t most) {
    return static_cast<std::uint32_t>(count(key, value, least, most));
}

float real(std::string_view key, std::string_view value, float least, float most) {
    float number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size() || !(number >= least && number <= most)) {
        refuse(key, value, fmt::format("take {:g} to {:g}", least, most));
    }
    return number;
}

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(at);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

} // namespace warptree::session::state
