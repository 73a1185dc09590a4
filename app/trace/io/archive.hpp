// A zip archive in memory: named byte strings.
#pragma once

#include "app/base/options.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptree {

using Entries = std::vector<std::pair<std::string, std::string>>; // name, bytes; in order

// Same entries, same bytes. Throws FileError when out of memory, and Cancelled when `control` requests it.
std::string pack(const Entries& entries, RunControl* control = nullptr);

// Why an archive cannot be unpacked.
enum class Damage { not_an_archive, truncated, corrupt };
struct BadArchive {
    Damage damage;
    std::string what;
};
// Throws BadArchive, also above `most_bytes` in total, and Cancelled when `control` requests it.
std::map<std::string, std::string> unpack(const std::string& archive, std::uint64_t most_bytes,
                                          RunControl* control = nullptr);

} // namespace warptree
