#include "app/cli/option_values.hpp"

#include "app/base/error.hpp"
#include "app/base/options.hpp"
#include "app/base/printable.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace warptree::commands {

void refuse(std::string_view option, std::string_view value, std::string_view works) {
    throw OptionError(fmt::format("{} '{}' is not usable; {}", option, printable(value), works));
}

std::uint64_t count_of(std::string_view option, const std::string& text, std::uint64_t least, std::uint64_t most) {
    const auto value = parse_count(text);
    if (!value || *value < least || *value > most) {
        refuse(option, text, fmt::format("take {} to {}, as in 1000, 2^10 or 4M", least, most));
    }
    return *value;
}

std::string expectation_of(const std::string& expect, const std::string& file) {
    if (file.empty()) {
        return expect;
    }
    if (!expect.empty()) {
        throw OptionError("--expect and --expect-file both say what the output is compared with; take one");
    }
    return "file " + file;
}

void refuse_empty_values(CLI::App& command) {
    for (CLI::Option* option : command.get_options()) {
        option->check([](const std::string& text) { return text.empty() ? "an empty value" : ""; }, "");
    }
}

} // namespace warptree::commands
