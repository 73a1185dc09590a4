// JSON from files, whoever wrote them.
#pragma once

#include "app/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace warptree {

inline constexpr std::size_t kMostJsonDepth = 64;     // lists and objects in one another
inline constexpr std::size_t kMostJsonMembers = 4096; // of an object; each is sought among all before it
inline constexpr std::uint64_t kMostJsonBytes = 64ULL << 20;

struct JsonError : FileError { // what() is "line LINE: WHY"
    JsonError(std::size_t at, const std::string& reason)
        : FileError("line " + std::to_string(at) + ": " + reason), line(at), why(reason) {}
    std::size_t line;
    std::string why;
};

// The one way to read JSON: what could exhaust the stack, or take time or memory out of proportion to the text, is
// refused before a value is made. Throws JsonError, without the name of the file.
nlohmann::ordered_json parse_json(std::string_view text, std::uint64_t most_bytes = kMostJsonBytes);

// The one way to read a count: nullopt where `value` is no whole number from 0 to `most`. nlohmann's own conversions cut what
// does not fit; from a floating-point number that is undefined.
std::optional<std::uint64_t> whole_number(const nlohmann::ordered_json& value, std::uint64_t most);

} // namespace warptree
