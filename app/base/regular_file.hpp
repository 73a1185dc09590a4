// A regular file, open for reading. Everything that is read because of a name in a file, an option or a dialog is opened
// here.
#pragma once

#include "app/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace warptree {

class RegularFile {
  public:
    // Refuses a pipe, a socket, a device and a folder, and never waits for one. Throws FileError, which names the file.
    explicit RegularFile(std::filesystem::path path);
    RegularFile(const RegularFile&) = delete;
    RegularFile& operator=(const RegularFile&) = delete;
    ~RegularFile();

    std::uint64_t bytes() const { return bytes_; } // as the system states them: 0 for its own files, as in /proc
    // Up to `most` bytes, fewer only at the end of the file. Throws FileError.
    std::size_t read(char* to, std::size_t most);
    FileError error(std::string_view reason) const; // "PATH: cannot be read: REASON"
    FileError larger_than(std::uint64_t most_bytes) const;

  private:
    std::filesystem::path path_;
    int descriptor_;
    std::uint64_t bytes_ = 0;
};

} // namespace warptree
