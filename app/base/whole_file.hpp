// A file read or written at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace warptree {

// Throws FileError naming the file and the system's reason, also when there are more than `most_bytes`. If a file
// does not begin with `start`, only its first bytes are read.
std::string read_whole(const std::filesystem::path& path, std::uint64_t most_bytes = UINT64_MAX,
                       std::string_view start = {});
// Writes a temporary file beside it, then renames that: the file is either complete or unchanged. Follows links; writes
// to devices and pipes directly. Throws FileError.
void write_whole(const std::filesystem::path& path, const std::string& bytes);

} // namespace warptree
