// What an option was given, as a value; or why not.
#pragma once

#include <cstdint>
#include <string>

namespace warptree::commands {

// "-n 'many' is not usable; take ..." as an OptionError.
[[noreturn]] void refuse(const char* option, const std::string& value, const std::string& works);
// Throws OptionError unless it is a count (1000, 2^10, 4M) from least to most.
std::uint64_t count(const char* option, const std::string& text, std::uint64_t least, std::uint64_t most);

} // namespace warptree::commands
