// Command-line arguments as values. Unusable ones are refused with an OptionError that says what would work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace warptree::commands {

// "--block '0' is not usable; take 1 to 1024"
[[noreturn]] void refuse(std::string_view option, std::string_view value, std::string_view works);

// A count such as "1000", "2^10" or "4M", from `least` to `most`.
std::uint64_t count_of(std::string_view option, const std::string& text, std::uint64_t least, std::uint64_t most);

// Converts a name by `from`; `names`: the valid ones, for the error.
template <class T>
T named(std::string_view option, const std::string& text, std::optional<T> (*from)(std::string_view),
        std::string_view names) {
    const std::optional<T> value = from(text);
    if (!value) {
        refuse(option, text, "take " + std::string(names));
    }
    return *value;
}

// What the output is compared with, by --expect or --expect-file; empty: neither is given.
std::string expectation_of(const std::string& expect, const std::string& file);

// Makes every option declared so far refuse an empty value.
void refuse_empty_values(CLI::App& command);

} // namespace warptree::commands
