// Command-line arguments as values. Unusable ones are refused with an OptionError that says what would work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace warptree {
struct RunOptions;
}
namespace warptree::request {
struct Option;
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

// Declares an option of a run, with its help.
CLI::Option* add_option(CLI::App& command, const request::Option& option, std::string& word);
// The same by its id; with another help if it takes a list here, say.
CLI::Option* add_option(CLI::App& command, std::string_view id, std::string& word, const std::string& help = {});

// --arg NAME=VALUE, each.
void take_arguments(RunOptions& options, const std::vector<std::string>& arguments);

// Makes every option declared so far refuse an empty value.
void refuse_empty_values(CLI::App& command);

} // namespace warptree::commands
