// A file read or written at once. Everything that this program reads because of a name in a file, an option or a
// dialog is opened here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace warptree {

inline constexpr std::uint64_t kMostFileBytes = 64ULL << 20; // of a file, where its reader states no other limit

// Opens regular files only: a pipe, a device or a folder is refused, and opening one never waits. Throws FileError
// naming the file and the reason, also when there are more than `most_bytes`, before any is read. If a file does not
// begin with `start`, only its first bytes are read.
std::string read_whole(const std::filesystem::path& path, std::uint64_t most_bytes = kMostFileBytes,
                       std::string_view start = {});
// As read_whole(), and refuses what is no text in UTF-8 or another superset of ASCII: UTF-16, and zero bytes.
std::string read_text(const std::filesystem::path& path, std::uint64_t most_bytes = kMostFileBytes);
// What is wrong with a text of a file, and what to do; empty: nothing.
std::string why_no_text(std::string_view bytes);

// A file that another file names, below that file's folder: throws FileError for an absolute path, for one with "..",
// and for a symbolic link that leads out of the folder. The file need not exist.
std::filesystem::path path_below(const std::filesystem::path& folder, const std::filesystem::path& name);

// Writes a temporary file beside it, then renames that: the file is either complete or unchanged, also on a full disk or
// after a power failure. Keeps the permissions of an existing file. Follows links; writes to devices and pipes directly.
// Throws FileError.
void write_whole(const std::filesystem::path& path, std::string_view bytes);
// Writes to a descriptor. Returns errno, or 0.
int write_all(int fd, std::string_view bytes);

} // namespace warptree
