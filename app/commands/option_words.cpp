#include "app/commands/option_words.hpp"

#include "kernels/error.hpp"
#include "kernels/options.hpp"
#include "kernels/printable.hpp"

#include <fmt/format.h>

namespace warptree::commands {

void refuse(const char* option, const std::string& value, const std::string& works) {
    throw OptionError(fmt::format("{} '{}' is not usable; {}", option, printable(value), works));
}

std::uint64_t count(const char* option, const std::string& text, std::uint64_t least, std::uint64_t most) {
    const auto value = parse_count(text);
    if (!value || *value < least || *value > most) {
        refuse(option, text, fmt::format("take {} to {}, as in 1000, 2^10 or 4M", least, most));
    }
    return *value;
}

} // namespace warptree::commands
