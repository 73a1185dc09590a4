// A zip archive in memory: named byte strings.
#pragma once

#include "app/base/options.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptree {

using Entries = std::vector<std::pair<std::string, std::string>>; // name, bytes; in order

// An entry whose bytes are made when it is packed, and dropped then.
struct LaterEntry {
    std::string name;
    std::uint64_t size = 0; // of what bytes() returns
    std::function<std::string()> bytes;
};

// Same entries, same bytes. Throws FileError when out of memory, and Cancelled when `control` requests it.
std::string pack(const std::vector<LaterEntry>& entries, RunControl* control = nullptr);
std::string pack(const Entries& entries, RunControl* control = nullptr);

// Why an archive cannot be unpacked.
enum class Damage { not_an_archive, truncated, corrupt };
struct BadArchive {
    Damage damage;
    std::string what;
};

// An archive whose entries are unpacked one by one, on request.
class ArchiveReader {
  public:
    // `bytes` must outlive this. Throws BadArchive, also if the entries have more than `most_bytes` in total; nothing is
    // unpacked for that.
    ArchiveReader(const std::string& bytes, std::uint64_t most_bytes);
    ~ArchiveReader();

    const std::map<std::string, std::uint64_t>& sizes() const { return sizes_; } // unpacked, by name
    // Takes that much memory and no more. Throws BadArchive if the entry is missing or damaged.
    std::string read(const std::string& name) const;

  private:
    struct Zip;
    std::unique_ptr<Zip> zip_;
    std::map<std::string, std::uint64_t> sizes_;
};

// All entries.
std::map<std::string, std::string> unpack(const std::string& archive, std::uint64_t most_bytes);

} // namespace warptree
