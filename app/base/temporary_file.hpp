// Writes a file completely or not at all.
#pragma once

#include "app/base/error.hpp"

#include <filesystem>
#include <string>
#include <system_error>

#include <unistd.h>

namespace warptree {

// A temporary name beside `target`, for a file or a directory; removed by the destructor unless kept.
class TemporaryFile {
  public:
    // `extension` ends the temporary name, for programs that depend on it.
    explicit TemporaryFile(const std::filesystem::path& target, const std::string& extension = {})
        : target_(target), path_(target.string() + ".part" + std::to_string(::getpid()) + extension) {}
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() {
        std::error_code ignored;
        if (!kept_) {
            std::filesystem::remove_all(path_, ignored);
        }
    }
    const std::filesystem::path& path() const { return path_; }
    // Renames it to the target. Throws FileError.
    void keep() {
        std::error_code error;
        std::filesystem::rename(path_, target_, error);
        if (error) {
            throw FileError(target_.string() + ": cannot be written: " + error.message());
        }
        kept_ = true;
    }

  private:
    std::filesystem::path target_, path_;
    bool kept_ = false;
};

} // namespace warptree
