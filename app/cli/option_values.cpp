#include "app/cli/option_values.hpp"

#include "app/base/error.hpp"
#include "app/base/options.hpp"
#include "app/base/printable.hpp"
#include "app/request/option.hpp"
#include "app/run/judge/expectation.hpp"

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

CLI::Option* add_option(CLI::App& command, const request::Option& option, std::string& word) {
    const std::string help = option.id == "expect" ? option.help + ": " + runs::expectation_list() : option.help;
    return command.add_option((option.id.size() == 1 ? "-" : "--") + option.id, word, help);
}

CLI::Option* add_option(CLI::App& command, std::string_view id, std::string& word, const std::string& help) {
    request::Option option = request::option(id);
    option.help = help.empty() ? option.help : help;
    return add_option(command, option, word);
}

void take_arguments(RunOptions& options, const std::vector<std::string>& arguments) {
    for (const std::string& argument : arguments) {
        const std::size_t equals = argument.find('=');
        if (equals == 0 || equals == std::string::npos || equals + 1 == argument.size()) {
            refuse("--arg", argument, "take NAME=VALUE, as in in=random:1000");
        }
        options.kernel.arguments[argument.substr(0, equals)] = argument.substr(equals + 1);
    }
}

void refuse_empty_values(CLI::App& command) {
    for (CLI::Option* option : command.get_options()) {
        option->check([](const std::string& text) { return text.empty() ? "an empty value" : ""; }, "");
    }
}

} // namespace warptree::commands
