// Parses and checks values of a state string. Internal to the state strings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::session::state {

inline constexpr const char* kExample = "a state is as 'explore/sequential?n=64&block=64&step=3'";

[[noreturn]] void refuse(std::string_view key, std::string_view value, const std::string& works); // OptionError

// Each throws OptionError for an invalid value.
std::uint64_t count(std::string_view key, std::string_view value, std::uint64_t least, std::uint64_t most);
std::uint32_t count32(std::string_view key, std::string_view value, std::uint32_t least, std::uint32_t most);
float real(std::string_view key, std::string_view value, float least, float most);
template <class T, class From> T named(std::string_view key, const std::string& value, From from, const char* names) {
    const auto found = from(value);
    if (!found) {
        refuse(key, value, std::string("take ") + names);
    }
    return *found;
}

std::vector<std::string_view> split(std::string_view text, char at); // at least one part

} // namespace warptree::session::state
